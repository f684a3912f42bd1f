/**
 * A chart: its name, its badges, its settings, its canvas. Every chart of the page is this one, wherever it stands:
 * sidebar, catalog, dashboard, full screen.
 */
import { type CSSProperties, type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { formatValue } from "../lib/numbers";
import { Dialog } from "../ui/Dialog";
import { useNear } from "../ui/hooks/useNearViewport";
import { MiddleCut } from "../ui/MiddleCut";
import { MenuItem } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import styles from "./Chart.module.css";
import { Badges } from "./ChartBadges";
import { useCharts } from "./ChartsContext";
import { ChartMenu } from "./menu/ChartMenu";
import { Placeholder } from "./Placeholder";
import { boundsOf } from "./plot/axis";
import { Legend } from "./plot/Legend";
import { Plot } from "./plot/Plot";
import { plotModel } from "./plot/plotModel";
import { saveCsv, savePng } from "./plot/saveChart";
import { chartTitle } from "./series/catalog";
import { type ChartSettings, type ChartSpec, changedCount, metricsOf } from "./series/chartSettings";
import { useChartData } from "./series/useChartData";

export interface ChartProps {
  readonly spec: ChartSpec;
  readonly height: number;
  readonly onSettings: (settings: ChartSettings) => void;
  /** What else can be done with this chart where it stands (duplicate, remove, move), as rows of its menu. `act` closes
   * the menu first. */
  readonly actions?: (act: (action: () => void) => void) => ReactNode;
  /** The drag handle. */
  readonly handle?: ReactNode;
}

export function Chart(props: ChartProps) {
  const [full, setFull] = useState(false);
  return (
    <>
      <Frame {...props} onFull={() => setFull(true)} />
      {full && (
        <Dialog title={props.spec.title ?? props.spec.name} wide onClose={() => setFull(false)}>
          <Frame {...props} height={Math.max(240, window.innerHeight - 230)} full />
        </Dialog>
      )}
    </>
  );
}

const LEGEND_HEIGHT = 16;
/** More names than this stand in two rows. */
const NAMES_IN_A_ROW = 2;

interface FrameProps extends ChartProps {
  readonly full?: boolean;
  readonly onFull?: () => void;
}

function Frame({ spec, height, onSettings, actions, handle, full = false, onFull }: FrameProps) {
  const { view } = useCharts();
  const figure = useRef<HTMLElement>(null);
  const readout = useRef<HTMLSpanElement>(null);
  const near = useNear(figure);
  const isSeen = useRef(false);
  if (near) isSeen.current = true;
  const { data, origin } = useChartData(spec, near);
  const drawn = data.state === "lines" || data.state === "heat" ? data : null;
  // Of a chart that left the window the model is kept: scrolled back to, it is drawn as it was.
  const latest = useRef(drawn);
  if (drawn) latest.current = drawn;
  const modelled = latest.current;
  const metrics = metricsOf(spec);
  const isAlone = metrics.length === 1;
  const model = useMemo(
    () =>
      modelled ? plotModel(modelled, view.axis, spec.settings, isAlone ? boundsOf(spec.name, origin) : null) : null,
    [modelled, view.axis, spec.settings, spec.name, origin, isAlone],
  );
  const { title, detail, label } = chartTitle(metrics, origin, spec.title);
  const legendRows = metrics.length > NAMES_IN_A_ROW ? 2 : metrics.length > 1 ? 1 : 0;

  // Written straight into the page: the cursor moves on every chart at once, sixty times a second.
  const onReadout = useCallback((value: number | null) => {
    if (readout.current) readout.current.textContent = value === null ? "" : formatValue(value);
  }, []);

  // The lines' names take their room from the plot: charts side by side stay of one height.
  const tall = full ? height : height - legendRows * LEGEND_HEIGHT;
  const changed = changedCount(spec.settings);
  const hasPoints = model !== null && model.data[0].length > 0;
  return (
    <figure
      ref={figure}
      className={styles.chart}
      data-full={full || undefined}
      data-seen={isSeen.current || undefined}
      style={{ "--tall": `${height}px` } as CSSProperties}
      aria-label={label}
    >
      <figcaption className={styles.caption}>
        {handle}
        {!full && (
          <b>
            <MiddleCut text={title} title={metrics.join("\n")} />
          </b>
        )}
        {detail && <span className={styles.detail}>{detail}</span>}
        <Badges data={data} settings={spec.settings} onSettings={onSettings} />
        <span ref={readout} className={styles.readout} aria-hidden="true" />
        <Popover
          label={`Settings of ${label}`}
          align="end"
          button={{
            quiet: true,
            icon: "settings",
            "aria-label": changed > 0 ? `Settings of ${label}, ${changed} changed` : `Settings of ${label}`,
            className: changed > 0 ? styles.changed : styles.gear,
          }}
        >
          {(close) => {
            const act = (action: () => void) => {
              close();
              action();
            };
            return (
              <ChartMenu
                spec={spec}
                hasBand={origin === "derived" && spec.name.endsWith("/mean")}
                onSettings={onSettings}
                actions={
                  <>
                    {onFull && <MenuItem onClick={() => act(onFull)}>Full screen</MenuItem>}
                    {model && hasPoints && (
                      <>
                        <MenuItem onClick={() => act(() => saveCsv(spec.name, model, view.span))}>Save as CSV</MenuItem>
                        <MenuItem onClick={() => act(() => void savePng(spec.name, label, model))}>
                          Save as PNG
                        </MenuItem>
                      </>
                    )}
                    {actions?.(act)}
                  </>
                }
              />
            );
          }}
        </Popover>
      </figcaption>
      {full && model && <Legend model={model} />}
      {legendRows > 0 &&
        !full &&
        (model ? <Legend model={model} rows={legendRows} /> : <div style={{ height: legendRows * LEGEND_HEIGHT }} />)}
      {drawn && model && hasPoints ? (
        <Plot model={model} height={tall} label={label} onReadout={onReadout} />
      ) : (
        <Placeholder data={data} near={near} height={tall} view={view} />
      )}
    </figure>
  );
}
