import { type ReactNode, useState } from "react";
import styles from "./Searchable.module.css";
import { SearchBox } from "./SearchBox";

/** More than these want to be searched rather than scrolled. */
export const FEW = 12;

interface SearchableProps<T> {
  items: readonly T[];
  /** What is searched in. */
  nameOf: (item: T) => string;
  label: string;
  children: (found: readonly T[]) => ReactNode;
}

/** A list with a box over it that narrows it by words, where it is long enough to need one. */
export function Searchable<T>({ items, nameOf, label, children }: SearchableProps<T>) {
  const [text, setText] = useState("");
  if (items.length <= FEW) return children(items);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => words.every((word) => nameOf(item).toLowerCase().includes(word)));
  return (
    <>
      <div className={styles.search}>
        <SearchBox label={label} value={text} onChange={setText} />
      </div>
      {children(found)}
      {found.length === 0 && <p className={styles.none}>Nothing has “{text}” in its name.</p>}
    </>
  );
}
