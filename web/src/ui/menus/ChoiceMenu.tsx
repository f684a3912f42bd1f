import type { ButtonProps } from "../Button";
import { MenuItem } from "./Menu";
import { Popover } from "./Popover";
import { Searchable } from "./Searchable";

interface ChoiceMenuProps<T> {
  label: string;
  items: readonly T[];
  /** As an item is shown, and searched where there are many. */
  nameOf: (item: T) => string;
  isChosen: (item: T) => boolean;
  onChoose: (item: T) => void;
  button: ButtonProps;
}

/** One of several, by name: the page's kind of select. */
export function ChoiceMenu<T>({ label, items, nameOf, isChosen, onChoose, button }: ChoiceMenuProps<T>) {
  return (
    <Popover label={label} button={{ opens: true, ...button }}>
      {(close) => (
        <Searchable items={items} nameOf={nameOf} label="Search">
          {(found) =>
            found.map((item, at) => (
              <MenuItem
                key={`${at} ${nameOf(item)}`}
                chosen={isChosen(item)}
                onClick={() => {
                  close();
                  onChoose(item);
                }}
              >
                {nameOf(item)}
              </MenuItem>
            ))
          }
        </Searchable>
      )}
    </Popover>
  );
}
