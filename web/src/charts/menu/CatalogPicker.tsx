import { useMemo, useState } from "react";
import { formatCount } from "../../lib/numbers";
import { Icon } from "../../ui/Icon";
import { type Plot, type PlotEntry, searchPlots, treeOf } from "../series/catalog";
import styles from "./CatalogPicker.module.css";

interface CatalogPickerProps {
  readonly plots: readonly PlotEntry[];
  /** How often each plot is there already, by name. */
  readonly counts: ReadonlyMap<string, number>;
  readonly onAdd: (plot: Plot) => void;
}

/** More rows than anyone scrolls through: the search narrows them. */
const MAX_ROWS = 400;

/** The catalog as a list to add charts from. It stays open: one often adds several, or the same twice. */
export function CatalogPicker({ plots, counts, onAdd }: CatalogPickerProps) {
  const [query, setQuery] = useState("");
  const found = useMemo(() => searchPlots(plots, query), [plots, query]);
  const sections = useMemo(() => treeOf(found.slice(0, MAX_ROWS)), [found]);
  return (
    <div className={styles.picker}>
      <label className={styles.search}>
        <Icon name="search" size={12} />
        <input
          // biome-ignore lint/a11y/noAutofocus: opened to be typed into; the popover gives the focus back.
          autoFocus
          type="search"
          placeholder={`Search ${formatCount(plots.length)} charts`}
          aria-label="Search the catalog"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </label>
      <div className={styles.list}>
        {found.length === 0 && <p className={styles.none}>No metric has “{query}” in its name.</p>}
        {sections.map((section) => (
          <section key={section.name} aria-label={section.name}>
            <h4 className={styles.section}>{section.name}</h4>
            {section.groups.map((group) => (
              <ul key={group.name}>
                {group.plots.map((plot) => (
                  <li key={plot.name}>
                    <Row plot={plot} count={counts.get(plot.name) ?? 0} onAdd={onAdd} />
                  </li>
                ))}
              </ul>
            ))}
          </section>
        ))}
        {found.length > MAX_ROWS && (
          <p className={styles.none}>
            {formatCount(found.length - MAX_ROWS)} more; the first {MAX_ROWS} are listed. Search to narrow.
          </p>
        )}
      </div>
    </div>
  );
}

function Row({ plot, count, onAdd }: { plot: PlotEntry; count: number; onAdd: (plot: Plot) => void }) {
  return (
    <button
      type="button"
      className={styles.row}
      title={plot.name}
      onClick={() => onAdd({ kind: plot.kind, name: plot.name })}
    >
      <Icon name="plus" size={11} />
      <span className={styles.name}>{plot.title}</span>
      <span className={styles.detail}>{plot.detail}</span>
      {count > 0 && <span className={styles.count}>{count === 1 ? "shown" : `shown ${count}×`}</span>}
    </button>
  );
}
