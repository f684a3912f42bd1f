import { formatPercent, plural } from "../../../lib/numbers";
import { Button } from "../../../ui/Button";
import { SeverityMark } from "../../../ui/SeverityMark";
import styles from "./MarkBar.module.css";
import type { Marks } from "./useMarks";

/** Runs in whose samples something was found, also before this page was loaded. Their other samples keep the row: the
 * text below must not jump from one sample to the next, nor when what was found comes after the text. */
const KEY = "rollscope.marked-runs";
const marked = new Set((sessionStorage.getItem(KEY) ?? "").split("\n").filter(Boolean));

function remember(run: string): void {
  if (marked.has(run)) return;
  marked.add(run);
  sessionStorage.setItem(KEY, [...marked].join("\n"));
}

/** What findings say of this sample: each a click (or a key) from its characters. */
export function MarkBar({ run, marks: { findings, marks, at, show, move } }: { run: string; marks: Marks }) {
  if (findings.length > 0) remember(run);
  else if (marked.has(run)) return <div className={styles.bar} />;
  else return null;
  const current = at === null ? null : marks[at];
  return (
    <section className={styles.bar} aria-label="Findings in this sample">
      <ul className={styles.findings}>
        {findings.map((finding) => {
          const first = marks.findIndex((mark) => mark.finding === finding);
          const { kind, where, title, severity, share, onset } = finding;
          const since = onset ? `, since step ${onset[0]}${onset[1] > onset[0] ? `–${onset[1]}` : ""}` : "";
          const says = `${title} · in ${formatPercent(share)} of the samples${since}`;
          return (
            <li key={`${kind} ${where}`}>
              <button
                type="button"
                aria-pressed={current?.finding === finding}
                disabled={first < 0}
                title={first < 0 ? `${says}. It is about numbers, so no text is marked.` : says}
                onClick={() => show(first)}
              >
                <SeverityMark severity={severity} />
                <b>{title}</b>
                <code>{kind}</code>
              </button>
            </li>
          );
        })}
      </ul>
      {marks.length > 0 && (
        <span className={styles.moves}>
          {current && (
            <span className={styles.seen} role="status" title={current.span.value}>
              {current.span.field} {current.span.start.toLocaleString("en")}–{current.span.end.toLocaleString("en")}
            </span>
          )}
          <span>{at === null ? plural(marks.length, "place") : `${at + 1} of ${marks.length}`}</span>
          <Button quiet icon="chevron-left" aria-label="Previous evidence (,)" onClick={() => move(-1)} />
          <Button quiet icon="chevron-right" aria-label="Next evidence (.)" onClick={() => move(1)} />
        </span>
      )}
    </section>
  );
}
