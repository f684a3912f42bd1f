import { plural } from "../../lib/numbers";
import { Button } from "../../ui/Button";
import { MenuItem, MenuTitle } from "../../ui/menus/Menu";
import { useCharts } from "../ChartsContext";
import { titleOf } from "../series/catalog";
import { type ChartSpec, MAX_METRICS, metricsOf } from "../series/chartSettings";
import { usePlots } from "../series/usePlots";
import { CatalogPicker } from "./CatalogPicker";
import styles from "./ChartMenu.module.css";

interface ChartMetricsProps {
  readonly spec: ChartSpec;
  readonly onMore: (more: readonly string[]) => void;
  readonly onDone: () => void;
}

/** Which metrics a chart draws beside its own: a click on one takes it away, the catalog below adds. */
export function ChartMetrics({ spec, onMore, onDone }: ChartMetricsProps) {
  const { runs } = useCharts();
  const { plots } = usePlots(runs);
  const { more } = spec.settings;
  const drawn = metricsOf(spec);
  const originOf = (name: string) => plots.find((plot) => plot.name === name)?.origin;
  const lines = plots.filter(({ kind }) => kind === "line");
  return (
    <div className={styles.metrics}>
      <div className={styles.metricsHead}>
        <Button quiet icon="chevron-left" onClick={onDone}>
          Settings
        </Button>
        <small>{plural(drawn.length, "metric")} in this chart</small>
      </div>
      {more.map((name) => (
        <MenuItem key={name} onClick={() => onMore(more.filter((other) => other !== name))}>
          Take out {titleOf(name, originOf(name)).title}
        </MenuItem>
      ))}
      {drawn.length >= MAX_METRICS ? (
        <MenuTitle>{`More than ${MAX_METRICS} lines could not be told apart`}</MenuTitle>
      ) : (
        <CatalogPicker
          plots={lines}
          counts={new Map(drawn.map((name) => [name, 1]))}
          onAdd={({ name }) => onMore([...new Set([...more, name])].filter((other) => other !== spec.name))}
        />
      )}
    </div>
  );
}
