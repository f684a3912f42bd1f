import { useEffect, useRef, useState } from "react";
import { useRuns } from "../api/hooks";
import type { RunInfo } from "../api/types";
import { distinctNames } from "../lib/distinctNames";
import { plural } from "../lib/numbers";
import { RUN_COLOURS, useRunColours } from "../state/runColours";
import { chooseRun } from "../state/selection";
import { go, useView, useViewPart } from "../state/view";
import { Icon } from "../ui/Icon";
import { MiddleCut } from "../ui/MiddleCut";
import { Popover } from "../ui/menus/Popover";
import { Failure, Skeleton } from "../ui/States";
import styles from "./RunPicker.module.css";
import { matchesName, parseRunSearch } from "./runSearch";
import { useConfigMatches } from "./useRunConfigs";

/** A name of so many characters fits the header beside all pages. */
const WHOLE = 40;

/** The open run and those overlaid on its charts, as chips; the first opens the list of all runs. */
export function RunPicker() {
  const wanted = useViewPart("run");
  const compare = useViewPart("compare");
  const runs = useRuns();
  const run = runs.data ? chooseRun(runs.data, wanted) : null;
  const shown = [...(run ? [run.id] : []), ...compare];
  const { colourOf } = useRunColours(shown);
  const nameOf = (id: string): string => runs.data?.find((each) => each.id === id)?.name ?? id;
  // What all begin or end with says nothing, nor that it was left out, where every letter counts; a run alone keeps its
  // whole name while it is short, else what tells it from the others that could be opened.
  const [alone = ""] = shown.map(nameOf);
  const all = (runs.data ?? []).map(({ name }) => name);
  const others = shown.length === 1 && alone.length > WHOLE && all.length > 1 ? all : [];
  const names = distinctNames([...shown.map(nameOf), ...others], Number.POSITIVE_INFINITY)
    .slice(0, shown.length)
    .map((name) => name.replace(/^…|…$/g, ""));
  const compared = run ? names.slice(1) : names;
  return (
    <div className={styles.chips}>
      <Popover
        label="Runs"
        className={styles.panel ?? ""}
        button={{
          opens: true,
          className: styles.chip,
          "aria-label": `Run ${run?.name ?? "none"}: choose a run`,
          children: (
            <>
              <i style={{ background: run ? `var(${colourOf(run.id)})` : "var(--scale-none)" }} />
              <MiddleCut
                text={run ? (names[0] ?? run.name) : (wanted ?? (runs.isPending ? "…" : "no run"))}
                title={run?.name ?? ""}
              />
            </>
          ),
        }}
      >
        {(close) => <RunList onClose={close} />}
      </Popover>
      {compare.slice(0, 3).map((id, at) => (
        <span key={id} className={styles.chip} data-compared="">
          <i style={{ background: `var(${colourOf(id)})` }} />
          <MiddleCut text={compared[at] ?? id} title={nameOf(id)} />
          <button
            type="button"
            aria-label={`Remove ${nameOf(id)} from the comparison`}
            onClick={() => go({ compare: compare.filter((other) => other !== id) })}
          >
            <Icon name="close" size={10} />
          </button>
        </span>
      ))}
      {compare.length > 3 && <span className={styles.more}>+{compare.length - 3}</span>}
    </div>
  );
}

function RunList({ onClose }: { onClose: () => void }) {
  const view = useView();
  const { data: runs, error } = useRuns();
  const [query, setQuery] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const search = parseRunSearch(query);
  const named = (runs ?? []).filter((run) => matchesName(run, search));
  const { found, isLooking } = useConfigMatches(named, search);
  const current = runs ? chooseRun(runs, view.run) : null;
  const { colourOf, choose } = useRunColours([...(current ? [current.id] : []), ...view.compare]);
  if (error) return <Failure error={error} />;
  if (!runs) return <Skeleton lines={5} label="Loading runs" />;
  return (
    <>
      <div className={styles.search}>
        <Icon name="search" />
        <input
          ref={input}
          aria-label="Search runs"
          placeholder="Name, or config:lr=5e-7"
          value={query}
          spellCheck={false}
          onChange={(event) => setQuery(event.target.value)}
        />
        <span role="status">{isLooking ? "reading configs…" : plural(found.length, "run")}</span>
      </div>
      <ul className={styles.list}>
        {found.map((run) => {
          const isOpen = run.id === current?.id;
          const isCompared = view.compare.includes(run.id);
          return (
            <li key={run.id} className={styles.run} data-open={isOpen || undefined}>
              <input
                type="checkbox"
                aria-label={`Overlay ${run.name} on charts`}
                title="Overlay on charts"
                checked={isOpen || isCompared}
                disabled={isOpen}
                onChange={(event) =>
                  go({
                    compare: event.target.checked
                      ? [...view.compare, run.id]
                      : view.compare.filter((other) => other !== run.id),
                  })
                }
              />
              <ColourDot
                name={run.name}
                colour={isOpen || isCompared ? colourOf(run.id) : null}
                onChoose={(token) => choose(run.id, token)}
              />
              <button
                type="button"
                className={styles.name}
                onClick={() => {
                  go({ run: run.id });
                  onClose();
                }}
              >
                <b>{run.name}</b>
                <small title={run.path}>
                  {run.format} · {splitsText(run)}
                </small>
              </button>
              <State state={run.state} warnings={run.warnings} />
            </li>
          );
        })}
        {found.length === 0 && !isLooking && <li className={styles.none}>No run matches.</li>}
      </ul>
      <button
        type="button"
        className={styles.table}
        onClick={() => {
          go({ page: "runs" });
          onClose();
        }}
      >
        <Icon name="columns" size={12} /> Table of all runs
      </button>
    </>
  );
}

function ColourDot({
  name,
  colour,
  onChoose,
}: {
  name: string;
  colour: string | null;
  onChoose: (token: string) => void;
}) {
  return (
    <Popover
      label={`Colour of ${name}`}
      className={styles.palette ?? ""}
      button={{
        quiet: true,
        className: styles.dot,
        "aria-label": `Colour of ${name}`,
        children: <i style={{ background: colour ? `var(${colour})` : "var(--scale-none)" }} />,
      }}
    >
      {(close) => (
        <div className={styles.colours}>
          {RUN_COLOURS.map((token, at) => (
            <button
              key={token}
              type="button"
              aria-label={`Colour ${at + 1}`}
              aria-pressed={token === colour}
              style={{ background: `var(${token})` }}
              onClick={() => {
                onChoose(token);
                close();
              }}
            />
          ))}
        </div>
      )}
    </Popover>
  );
}

const STATES: Record<RunInfo["state"], string> = { live: "live", finished: "finished", unreadable: "unreadable" };

function State({ state, warnings }: { state: RunInfo["state"]; warnings: readonly string[] }) {
  return (
    <span className={styles.state} data-state={state} title={warnings.join("\n") || undefined}>
      {STATES[state]}
      {warnings.length > 0 && <Icon name="warning" size={11} />}
    </span>
  );
}

function splitsText(run: RunInfo): string {
  const samples = run.splits.reduce((sum, split) => sum + split.samples + split.discarded, 0);
  const steps = run.splits.reduce((most, split) => Math.max(most, split.steps), 0);
  return samples ? `${plural(steps, "step")}, ${plural(samples, "sample")}` : "no samples yet";
}
