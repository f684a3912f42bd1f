import type { SplitInfo } from "../../api/types";
import { formatCount } from "../../lib/numbers";
import { MiddleCut } from "../../ui/MiddleCut";
import { MenuItem } from "../../ui/menus/Menu";
import { Popover } from "../../ui/menus/Popover";
import { Searchable } from "../../ui/menus/Searchable";
import { Switch } from "../../ui/menus/Switch";
import styles from "./SplitSwitch.module.css";

/** Letters of all names together that the pane has room for. */
const MOST_LETTERS = 16;

interface SplitSwitchProps {
  splits: readonly SplitInfo[];
  split: string | null;
  onSplit: (split: string) => void;
}

/** train | eval, when there is more than one. Many eval sets become a list to choose from. */
export function SplitSwitch({ splits, split, onSplit }: SplitSwitchProps) {
  if (splits.length < 2) return null;
  // Names that do not fit side by side would all read "eval/…".
  const letters = splits.reduce((sum, each) => sum + each.split.length, 0);
  if (splits.length > 4 || letters > MOST_LETTERS) {
    return (
      <Popover
        label="Split"
        className={styles.menu ?? ""}
        button={{
          opens: true,
          className: styles.button,
          "aria-label": `Split: ${split}`,
          children: <MiddleCut text={split ?? ""} />,
        }}
      >
        {(close) => (
          <Searchable items={splits.map((each) => each.split)} nameOf={(name) => name} label="Search splits">
            {(found) =>
              splits
                .filter((each) => found.includes(each.split))
                .map((each) => (
                  <MenuItem
                    key={each.split}
                    chosen={each.split === split}
                    hint={formatCount(each.samples)}
                    onClick={() => {
                      onSplit(each.split);
                      close();
                    }}
                  >
                    {each.split}
                  </MenuItem>
                ))
            }
          </Searchable>
        )}
      </Popover>
    );
  }
  return (
    <Switch
      label="Split"
      choices={splits.map((each) => ({
        value: each.split,
        label: each.split,
        title: `${formatCount(each.samples)} samples in ${formatCount(each.steps)} steps`,
      }))}
      chosen={split}
      onChoose={onSplit}
    />
  );
}
