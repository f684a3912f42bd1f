import { useMemo, useState } from "react";
import { useRun, useRuns } from "../api/hooks";
import type { RunDetails } from "../api/types";
import { formatCount, plural } from "../lib/numbers";
import { usePageParam } from "../state/view";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import { MenuItem } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { SearchBox } from "../ui/menus/SearchBox";
import { Empty, Failure, Skeleton } from "../ui/States";
import { VirtualRows } from "../ui/VirtualRows";
import styles from "./ConfigPanel.module.css";
import { type ConfigRow, compareConfigs, configRows, searchConfig, unfoldedRows } from "./configTree";

const ROW = 24;

/** The run's config, searched; or what sets it apart from another run's. */
export function ConfigPanel({ details }: { details: RunDetails }) {
  const [query, setQuery] = usePageParam("key");
  const [other, setOther] = usePageParam("with");
  const { data: runs } = useRuns();
  const candidates = runs?.filter((run) => run.id !== details.info.id) ?? [];
  const name = candidates.find((run) => run.id === other)?.name ?? other;
  const text = useMemo(() => JSON.stringify(details.config, null, 2) ?? "", [details.config]);
  return (
    <>
      <div className={styles.tools}>
        <SearchBox label="Search the config" value={query} onChange={setQuery} />
        {candidates.length > 0 && (
          <Popover
            label="Compare with"
            button={{
              children: other === "" ? "Compare with…" : `Compared with ${name}`,
              opens: true,
              on: other !== "",
            }}
          >
            {(close) =>
              candidates.map((run) => (
                <MenuItem
                  key={run.id}
                  chosen={run.id === other}
                  onClick={() => {
                    close();
                    setOther(run.id === other ? "" : run.id);
                  }}
                >
                  {run.name}
                </MenuItem>
              ))
            }
          </Popover>
        )}
        {other !== "" && (
          <Button icon="close" onClick={() => setOther("")}>
            Stop comparing
          </Button>
        )}
        <span className={styles.space} />
        <CopyButton text={text}>Copy JSON</CopyButton>
      </div>
      {other === "" ? (
        <Tree config={details.config} query={query} />
      ) : (
        <Comparison details={details} other={other} query={query} />
      )}
    </>
  );
}

function Tree({ config, query }: { config: unknown; query: string }) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(() => configRows(config), [config]);
  const found = useMemo(() => searchConfig(all, query), [all, query]);
  const rows = useMemo(() => (query.trim() === "" ? unfoldedRows(found, folded) : found), [found, folded, query]);
  if (all.length === 0) {
    return <Empty title="No config was recorded">The run's directory holds no config that this format knows.</Empty>;
  }
  if (rows.length === 0) return <Empty icon="search" title={`Nothing in the config has “${query}”`} />;
  const toggle = (path: string) => {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  };
  return (
    <VirtualRows count={rows.length} rowHeight={ROW} label="Config" wraps>
      {(place) => {
        const row = rows[place] as ConfigRow;
        return (
          <div className={styles.row} style={{ paddingLeft: 10 + row.depth * 18 }} title={row.path}>
            {row.kind === "branch" ? (
              <button
                type="button"
                className={styles.branch}
                aria-expanded={!folded.has(row.path)}
                onClick={() => toggle(row.path)}
              >
                <Icon name={folded.has(row.path) && query.trim() === "" ? "chevron-right" : "chevron-down"} size={10} />
                <span className={styles.key}>{row.key}</span>
                <span className={styles.size}>{row.value}</span>
              </button>
            ) : (
              <>
                <span className={styles.leafKey}>{row.key}</span>
                <span className={styles.value} data-kind={row.kind}>
                  {row.value}
                </span>
              </>
            )}
          </div>
        );
      }}
    </VirtualRows>
  );
}

function Comparison({ details, other, query }: { details: RunDetails; other: string; query: string }) {
  const { data, error, isLoading, refetch } = useRun(other);
  const compared = useMemo(() => (data ? compareConfigs(details, data) : null), [data, details]);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = (compared?.differences ?? []).filter(({ path, here, there }) =>
    words.every((word) => `${path} ${here ?? ""} ${there ?? ""}`.toLowerCase().includes(word)),
  );
  if (isLoading) return <Skeleton lines={6} />;
  if (!data || !compared) return <Failure error={error} onRetry={() => void refetch()} />;
  const left = compared.left.length > 0 && ` Not compared, as they say which run it is: ${compared.left.join(", ")}.`;
  if (compared.differences.length === 0) {
    return (
      <Empty icon="check" title="The configs are the same">
        All {formatCount(compared.keys)} entries agree.{left}
      </Empty>
    );
  }
  return (
    <section className={styles.comparison} aria-label="Differences">
      <p className={styles.note}>
        {plural(rows.length, "entry differs", "entries differ")}; everything else is the same.{left}
      </p>
      <table>
        <thead>
          <tr>
            <th>Entry</th>
            <th>{details.info.name}</th>
            <th>{data.info.name}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, here, there }) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              <Side value={here} />
              <Side value={there} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Side({ value }: { value: string | null }) {
  return value === null ? <td className={styles.absent}>not there</td> : <td>{value}</td>;
}
