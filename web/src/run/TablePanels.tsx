/** The plain lists of the Run page: checkpoints, files, skipped lines. */
import { useMemo, useState } from "react";
import type { Checkpoint, FileInfo, RunDetails, Skipped } from "../api/types";
import { formatBytes, formatCount, plural } from "../lib/numbers";
import { CopyButton } from "../ui/CopyButton";
import { SearchBox } from "../ui/menus/SearchBox";
import { Empty } from "../ui/States";
import { VirtualRows } from "../ui/VirtualRows";
import styles from "./TablePanels.module.css";

const ROW = 27;

export function CheckpointsPanel({ checkpoints }: { checkpoints: readonly Checkpoint[] }) {
  if (checkpoints.length === 0) return <Empty title="No checkpoints were recorded" />;
  return (
    <section className={styles.scroll} aria-label="Checkpoints">
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Name</th>
            <th className={styles.right}>Step</th>
            <th>Where</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {checkpoints.map((checkpoint, i) => (
            <tr key={`${checkpoint.name} ${i}`}>
              <th scope="row">{checkpoint.name}</th>
              <td className={styles.right}>{formatCount(checkpoint.step)}</td>
              <td>
                {Object.entries(checkpoint.paths).map(([kind, path]) => (
                  <p key={kind} className={styles.path}>
                    <span>{kind}</span> <code>{path}</code>
                    <CopyButton quiet text={path} aria-label={`Copy ${kind} of ${checkpoint.name}`} />
                  </p>
                ))}
              </td>
              <td>
                <code>{stateText(checkpoint.state)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function stateText(state: Record<string, unknown>): string {
  return Object.entries(state)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

export function FilesPanel({ details }: { details: RunDetails }) {
  const { files, files_total: total } = details;
  const [query, setQuery] = useState("");
  const shown = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return files.filter((file) => words.every((word) => `${file.path} ${file.role}`.toLowerCase().includes(word)));
  }, [files, query]);
  if (files.length === 0) return <Empty title="No files" />;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <>
      <div className={styles.tools}>
        <SearchBox label="Search files" value={query} onChange={setQuery} />
        <span className={styles.note}>
          {total > files.length
            ? `the first ${formatCount(files.length)} of ${plural(total, "file")}`
            : `${plural(total, "file")}, ${formatBytes(bytes)}`}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty icon="search" title={`No file has “${query}” in its name`} />
      ) : (
        <VirtualRows
          count={shown.length}
          rowHeight={ROW}
          label="Files"
          head={
            <div className={`${styles.file} ${styles.head}`}>
              <span>Path</span>
              <span>Role</span>
              <span>Holds</span>
              <span className={styles.right}>Size</span>
              <span className={styles.right}>Changed</span>
            </div>
          }
        >
          {(place) => <FileRow file={shown[place] as FileInfo} />}
        </VirtualRows>
      )}
    </>
  );
}

function FileRow({ file }: { file: FileInfo }) {
  const holds = [file.split, file.step === null ? null : `step ${formatCount(file.step)}`].filter(Boolean).join(" · ");
  return (
    <div className={styles.file}>
      <code title={file.path}>{file.path}</code>
      <span>{file.role}</span>
      <span>{holds}</span>
      <span className={styles.right}>{formatBytes(file.bytes)}</span>
      <time className={styles.right} dateTime={new Date(file.modified * 1000).toISOString()}>
        {moment.format(file.modified * 1000)}
      </time>
    </div>
  );
}

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function SkippedPanel({ skipped, total }: { skipped: readonly Skipped[]; total: number }) {
  if (total === 0) {
    return (
      <Empty icon="check" title="Nothing was skipped">
        Every line of every file this format reads became a sample or a metric.
      </Empty>
    );
  }
  return (
    <>
      <div className={styles.tools}>
        <span className={styles.note}>
          {total > skipped.length
            ? `the first ${formatCount(skipped.length)} of ${plural(total, "skipped line")}; rollscope doctor lists all`
            : `${plural(total, "line")} could not be read; all others were`}
        </span>
      </div>
      <VirtualRows
        count={skipped.length}
        rowHeight={ROW}
        label="Skipped lines"
        head={
          <div className={`${styles.skipped} ${styles.head}`}>
            <span>File</span>
            <span className={styles.right}>Line</span>
            <span>Reason</span>
          </div>
        }
      >
        {(place) => {
          const { file, line, reason } = skipped[place] as Skipped;
          return (
            <div className={styles.skipped}>
              <code title={file}>{file}</code>
              <span className={styles.right}>{formatCount(line)}</span>
              <span title={reason}>{reason}</span>
            </div>
          );
        }}
      </VirtualRows>
    </>
  );
}
