import { useMemo, useState } from "react";
import { formatCount, plural } from "../lib/numbers";
import { CopyButton } from "../ui/CopyButton";
import { MenuItem } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Empty } from "../ui/States";
import { VirtualRows } from "../ui/VirtualRows";
import styles from "./DiffPanel.module.css";
import { type DiffLine, parseDiff } from "./diffLines";

const ROW = 20;

/** What the code looked like, against its last commit, when training started. */
export function DiffPanel({ text }: { text: string | null }) {
  const diff = useMemo(() => parseDiff(text ?? ""), [text]);
  const [show, setShow] = useState<{ place: number } | null>(null);
  if (text === null) {
    return (
      <Empty title="No code diff was recorded">Runs recorded with Rollscope or Tinker keep one in code.diff.</Empty>
    );
  }
  if (diff.lines.length === 0)
    return (
      <Empty icon="check" title="The code was as committed">
        The diff is empty.
      </Empty>
    );
  return (
    <>
      <div className={styles.tools}>
        <Popover
          label="Files of the diff"
          button={{ children: plural(diff.files.length, "file"), opens: true, disabled: diff.files.length === 0 }}
        >
          {(close) =>
            diff.files.map((file) => (
              <MenuItem
                key={file.place}
                onClick={() => {
                  close();
                  setShow({ place: file.place });
                }}
                hint={<Changes added={file.added} deleted={file.deleted} />}
              >
                {file.name}
              </MenuItem>
            ))
          }
        </Popover>
        <Changes
          added={diff.files.reduce((sum, file) => sum + file.added, 0)}
          deleted={diff.files.reduce((sum, file) => sum + file.deleted, 0)}
        />
        <span className={styles.space} />
        <CopyButton text={text}>Copy</CopyButton>
      </div>
      <VirtualRows count={diff.lines.length} rowHeight={ROW} label="Code diff" show={show}>
        {(place) => <Line line={diff.lines[place] as DiffLine} />}
      </VirtualRows>
    </>
  );
}

const SIGNS = { add: "+", delete: "−", same: " ", file: "", meta: "", hunk: "" } as const;

function Line({ line }: { line: DiffLine }) {
  return (
    <div className={styles.line} data-kind={line.kind}>
      <span className={styles.number}>{line.old ?? ""}</span>
      <span className={styles.number}>{line.new ?? ""}</span>
      <span className={styles.sign}>{SIGNS[line.kind]}</span>
      <code>{line.text}</code>
    </div>
  );
}

function Changes({ added, deleted }: { added: number; deleted: number }) {
  return (
    <span className={styles.changes}>
      <b data-kind="add">+{formatCount(added)}</b> <b data-kind="delete">−{formatCount(deleted)}</b>
    </span>
  );
}
