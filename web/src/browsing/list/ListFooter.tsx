/** Below the list: samples or groups, and ways to take the list along. */

import { useState } from "react";
import { exportUrl, type ListQuery, listCommands } from "../../api/hooks";
import { copyText } from "../../lib/clipboard";
import { formatStepRange, type ListKind, type View } from "../../state/url";
import { go, hrefFor } from "../../state/view";
import { Icon } from "../../ui/Icon";
import { MenuItem, MenuLine, MenuSwitch, MenuTitle } from "../../ui/menus/Menu";
import { Popover } from "../../ui/menus/Popover";
import { Switch } from "../../ui/menus/Switch";
import styles from "./ListFooter.module.css";

const FORMATS = { csv: "CSV", jsonl: "JSON lines", parquet: "Parquet" } as const;

const KINDS = [
  { value: "samples", label: "Samples" },
  { value: "groups", label: "Groups" },
] as const;

interface ListFooterProps {
  run: string;
  list: ListQuery;
  kind: ListKind;
  onKind: (kind: ListKind) => void;
}

export function ListFooter({ run, list, kind, onKind }: ListFooterProps) {
  return (
    <div className={styles.footer}>
      <Switch label="What is listed" choices={KINDS} chosen={kind} onChoose={onKind} />
      <ScatterLink list={list} />
      <ExportMenu run={run} list={list} />
      <CopyMenu run={run} list={list} />
    </div>
  );
}

/** The view of this list's samples as points. */
export function scatterOf({ split, step, steps, where, discarded }: ListQuery): Partial<View> {
  return {
    page: "insights",
    split,
    steps: step !== undefined ? formatStepRange({ first: step, last: step }) : steps === ":" ? null : (steps ?? null),
    where: where ?? "",
    other: { tab: "scatter", ...(discarded ? { samples: "discarded" } : {}) },
  };
}

function ScatterLink({ list }: { list: ListQuery }) {
  const target = scatterOf(list);
  return (
    <a
      className={styles.scatter}
      href={hrefFor(target)}
      aria-label="Scatter"
      title="Scatter: two fields of these samples against each other"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(target);
      }}
    >
      <Icon name="scatter" />
    </a>
  );
}

function ExportMenu({ run, list }: { run: string; list: ListQuery }) {
  const [text, setText] = useState(false);
  return (
    <Popover
      label="Export this list"
      align="end"
      button={{ quiet: true, icon: "download", children: "Export", title: "This list as a file" }}
    >
      {(close) => (
        <>
          <MenuTitle>All samples of this list as</MenuTitle>
          {Object.entries(FORMATS).map(([format, name]) => (
            <a
              key={format}
              className={styles.link}
              href={exportUrl(run, list, format, text)}
              download
              onClick={() => close()}
            >
              {name}
            </a>
          ))}
          <MenuLine />
          <MenuSwitch checked={text} onChange={setText}>
            with prompts and responses
          </MenuSwitch>
        </>
      )}
    </Popover>
  );
}

function CopyMenu({ run, list }: { run: string; list: ListQuery }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async (as: "command" | "python"): Promise<void> => {
    await copyText((await listCommands(run, list))[as]);
    setCopied(as);
  };
  return (
    <Popover
      label="Copy this list"
      align="end"
      button={{ quiet: true, icon: "copy", children: "Copy", "aria-label": "Copy as code" }}
      onOpen={() => setCopied(null)}
    >
      {() => (
        <>
          <MenuItem hint={copied === "command" ? "copied" : undefined} onClick={() => void copy("command")}>
            Command
          </MenuItem>
          <MenuItem hint={copied === "python" ? "copied" : undefined} onClick={() => void copy("python")}>
            Python
          </MenuItem>
        </>
      )}
    </Popover>
  );
}
