/** Every run in a table: how far it came, when it began, and the config values one wants to see beside that. */

import { useMemo, useState } from "react";
import { useRuns } from "../api/hooks";
import type { RunInfo } from "../api/types";
import { plural } from "../lib/numbers";
import { useRunColours } from "../state/runColours";
import { chooseRun } from "../state/selection";
import { go, hrefFor, usePageParam, useView } from "../state/view";
import { MiddleCut } from "../ui/MiddleCut";
import { MenuSwitch, MenuTitle } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Searchable } from "../ui/menus/Searchable";
import { SearchBox } from "../ui/menus/SearchBox";
import { Empty, Failure, Skeleton } from "../ui/States";
import styles from "./RunsPage.module.css";
import { configColumn, RUN_COLUMNS, sortRuns } from "./runColumns";
import { matchesName, parseRunSearch } from "./runSearch";
import { configKeys, useConfigMatches, useRunConfigs } from "./useRunConfigs";

/** Characters of a name that stay when there is little room: runs of a sweep differ somewhere in these. */
const ENDS = 40;

export default function RunsPage() {
  const { data: runs, error } = useRuns();
  if (error) return <Failure error={error} />;
  if (!runs) return <Skeleton lines={8} label="Loading runs" />;
  if (runs.length === 0) return <Empty title="No runs">There is nothing readable under the paths you opened.</Empty>;
  return <RunsTable runs={runs} />;
}

function RunsTable({ runs }: { runs: readonly RunInfo[] }) {
  const view = useView();
  const [text, setText] = usePageParam("find-runs");
  const [sort, setSort] = usePageParam("by", "-started");
  const [chosen, setChosen] = usePageParam("config");
  const keys = useMemo(() => chosen.split("\n").filter(Boolean), [chosen]);
  const [isChoosing, setChoosing] = useState(false);
  const { configs } = useRunConfigs(runs, keys.length > 0 || isChoosing);
  const search = parseRunSearch(text);
  const { found, isLooking } = useConfigMatches(
    runs.filter((run) => matchesName(run, search)),
    search,
  );
  const columns = useMemo(() => [...RUN_COLUMNS, ...keys.map((key) => configColumn(key, configs))], [keys, configs]);
  const open = chooseRun(runs, view.run);
  const { colourOf } = useRunColours([...(open ? [open.id] : []), ...view.compare]);
  const others = found.filter(({ id }) => id !== open?.id);
  const ticked = others.filter(({ id }) => view.compare.includes(id)).length;
  const tick = (ids: readonly string[], on: boolean): void =>
    go({ compare: on ? [...new Set([...view.compare, ...ids])] : view.compare.filter((id) => !ids.includes(id)) });

  return (
    <section className={styles.page} aria-label="Runs">
      <h1 className="visually-hidden">Runs</h1>
      <div className={styles.bar}>
        <SearchBox label="Search runs: a name, or config:lr=5e-7" value={text} onChange={setText} />
        <span role="status">
          {isLooking
            ? "reading configs…"
            : `${plural(found.length, "run")}${ticked ? ` · ${ticked} on the charts` : ""}`}
        </span>
        <Popover
          label="Config columns"
          align="end"
          onOpen={() => setChoosing(true)}
          button={{ opens: true, children: keys.length ? `Config ${keys.length}` : "Config columns" }}
        >
          {() => (
            <>
              <MenuTitle>Config values beside each run</MenuTitle>
              <Searchable items={configKeys(configs)} nameOf={(key) => key} label="Search config keys">
                {(some) =>
                  some.slice(0, 200).map((key) => (
                    <MenuSwitch
                      key={key}
                      checked={keys.includes(key)}
                      onChange={(on) =>
                        setChosen((on ? [...keys, key] : keys.filter((other) => other !== key)).join("\n"))
                      }
                    >
                      {key}
                    </MenuSwitch>
                  ))
                }
              </Searchable>
            </>
          )}
        </Popover>
      </div>
      <div className={styles.scroller}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th className={styles.tick}>
                <input
                  type="checkbox"
                  aria-label={`Overlay all ${found.length} found on charts`}
                  title="Overlay all found on charts"
                  checked={others.length > 0 && ticked === others.length}
                  ref={(box) => {
                    if (box) box.indeterminate = ticked > 0 && ticked < others.length;
                  }}
                  onChange={(event) =>
                    tick(
                      others.map(({ id }) => id),
                      event.target.checked,
                    )
                  }
                />
              </th>
              {columns.map(({ id, title, isNumber }) => (
                <th
                  key={id}
                  scope="col"
                  data-number={isNumber || undefined}
                  aria-sort={sort === id ? "ascending" : sort === `-${id}` ? "descending" : undefined}
                >
                  <button
                    type="button"
                    title={title}
                    onClick={() => setSort(sort === id ? `-${id}` : sort === `-${id}` || !isNumber ? id : `-${id}`)}
                  >
                    {title}
                    <i aria-hidden="true">{sort === id ? "↑" : sort === `-${id}` ? "↓" : ""}</i>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sortRuns(found, columns, sort).map((run) => {
              const isOpen = run.id === open?.id;
              const isCompared = view.compare.includes(run.id);
              return (
                <tr key={run.id} data-open={isOpen || undefined}>
                  <td className={styles.tick}>
                    <input
                      type="checkbox"
                      aria-label={`Overlay ${run.name} on charts`}
                      checked={isOpen || isCompared}
                      disabled={isOpen}
                      onChange={(event) => tick([run.id], event.target.checked)}
                    />
                  </td>
                  {columns.map(({ id, isNumber, text: write, hint }) => (
                    <td key={id} data-number={isNumber || undefined} title={hint?.(run)}>
                      {id === "name" ? (
                        <span className={styles.name}>
                          <a
                            href={hrefFor({ page: "rollouts", run: run.id })}
                            aria-label={run.name}
                            onClick={(event) => {
                              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                              event.preventDefault();
                              go({ page: "rollouts", run: run.id });
                            }}
                          >
                            <i
                              style={{
                                background: isOpen || isCompared ? `var(${colourOf(run.id)})` : "var(--scale-none)",
                              }}
                            />
                            <MiddleCut text={run.name} title={run.path} end={ENDS} />
                          </a>
                          <small>{run.format}</small>
                        </span>
                      ) : (
                        <span data-state={id === "state" ? run.state : undefined}>{write(run)}</span>
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
        {found.length === 0 && !isLooking && <Empty title="No run matches">Change or clear the search.</Empty>}
      </div>
    </section>
  );
}
