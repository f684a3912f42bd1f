import styles from "./Legend.module.css";
import type { PlotModel } from "./plotModel";

/** Which colour is which run, where the page's header does not show it. */
export function Legend({ model }: { model: PlotModel }) {
  const runs = model.heat ? [model.heat.run] : model.lines.map(({ run }) => run);
  return (
    <ul className={styles.legend} aria-label="Runs">
      {runs.map((run) => (
        <li key={run.id}>
          <i style={{ background: `var(${run.colour})` }} />
          {run.name}
        </li>
      ))}
    </ul>
  );
}
