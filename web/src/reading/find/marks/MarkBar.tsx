import { insightCommand } from "../../../api/insights";
import { formatPercent, plural } from "../../../lib/numbers";
import { hrefFor } from "../../../state/view";
import { Button } from "../../../ui/Button";
import { CopyButton } from "../../../ui/CopyButton";
import { SeverityMark } from "../../../ui/SeverityMark";
import styles from "./MarkBar.module.css";
import type { Marks } from "./useMarks";

const SAYS = {
  found: "No finding in this sample",
  unread: "No findings yet: not all texts of the run have been read",
  off: "No findings yet: this server reads texts only when asked (--no-features)",
};

/** What findings say of this sample: each a click (or a key) from its characters. Without any it keeps its row: the text
 * below must not jump from one sample to the next, nor when what was found comes after the text. */
export function MarkBar({ run, marks: { findings, none, marks, at, show, move } }: { run: string; marks: Marks }) {
  if (findings.length === 0)
    return (
      <div className={styles.bar}>
        {none && <span className={styles.none}>{SAYS[none]}</span>}
        {none === "off" && (
          <>
            <a className={styles.look} href={hrefFor({ page: "insights", other: { tab: "findings" } })}>
              Read them and look
            </a>
            <CopyButton
              quiet
              title="rollscope findings …"
              text={async () => (await insightCommand(run, "findings", [], null)).command}
            >
              Copy as command
            </CopyButton>
          </>
        )}
      </div>
    );
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
