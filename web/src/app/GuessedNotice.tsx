import { useRuns } from "../api/hooks";
import type { RunInfo } from "../api/types";
import { mappingFile, mappingFlag } from "../runs/mappingText";
import { chooseRun } from "../state/selection";
import { useView } from "../state/view";
import { CopyButton } from "../ui/CopyButton";
import { MenuTitle } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import styles from "./GuessedNotice.module.css";

/** Says in the header that parts of what is shown were guessed, and how to say it right. */
export function GuessedNotice() {
  const view = useView();
  const { data: runs } = useRuns();
  const run = runs ? chooseRun(runs, view.run) : null;
  if (!run || run.guessed.length === 0) return null;
  return (
    <Popover
      label="What was guessed"
      align="end"
      className={styles.panel ?? ""}
      button={{ icon: "warning", children: "Guessed", opens: true, title: run.guessed.join(" ") }}
    >
      {() => (
        <>
          <ul className={styles.sentences}>
            {run.guessed.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          {Object.keys(run.mapping).length > 0 && <Mapping run={run} />}
        </>
      )}
    </Popover>
  );
}

/** The guess as text to correct and keep. */
function Mapping({ run }: { run: RunInfo }) {
  const file = mappingFile(run.mapping);
  const flag = mappingFlag(run.mapping);
  return (
    <>
      <MenuTitle>Say it right in rollscope.toml beside the records</MenuTitle>
      <pre className={styles.text}>{file}</pre>
      <CopyButton text={file}>Copy the file</CopyButton>
      <MenuTitle>or on the command line</MenuTitle>
      <pre className={styles.text}>{flag}</pre>
      <CopyButton text={flag}>Copy the flag</CopyButton>
    </>
  );
}
