import type { CSSProperties } from "react";
import { distinctNames, withoutCommonEnd } from "../../lib/distinctNames";
import { MiddleCut } from "../../ui/MiddleCut";
import styles from "./Legend.module.css";
import type { PlotModel } from "./plotModel";

/** Which colour is which run, where the page's header does not show it, or which metric. `rows`: in as much room, where
 * what does not fit is cut, and said on hovering. */
export function Legend({ model, rows }: { model: PlotModel; rows?: number }) {
  const runs = model.heat ? [model.heat.run] : model.lines.map(({ run }) => run);
  const names = runs.map(({ name }) => name);
  const shown = rows
    ? distinctNames(withoutCommonEnd(names), Number.POSITIVE_INFINITY).map((name) => name.replace(/^…|…$/g, ""))
    : names;
  return (
    <ul
      className={rows ? styles.row : styles.legend}
      data-rows={rows}
      style={{ "--names": Math.ceil(runs.length / (rows ?? 1)) } as CSSProperties}
      aria-label="Lines"
    >
      {runs.map((run, place) => (
        <li key={run.id} title={run.name}>
          <i style={{ background: `var(${run.colour})` }} data-dash={run.dash || undefined} />
          {rows ? <MiddleCut text={shown[place] ?? run.name} title={run.name} /> : run.name}
        </li>
      ))}
    </ul>
  );
}
