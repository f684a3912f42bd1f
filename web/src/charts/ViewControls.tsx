import { useState } from "react";
import { DEFAULT_SPAN, MAX_SPAN, MIN_SPAN } from "../lib/ema";
import { Button } from "../ui/Button";
import { MenuItem, MenuSwitch } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { useCharts } from "./ChartsContext";
import { AXIS_NAMES } from "./chartView";
import { openSteps } from "./plot/filterFromChart";
import { type ViewOptions, X_AXES } from "./series/series";
import styles from "./ViewControls.module.css";

interface ControlProps {
  readonly view: ViewOptions;
  readonly onView: (change: Partial<ViewOptions>) => void;
}

/** Smoothing for all charts: on or off, and its span. */
export function SmoothingControl({ view, onView }: ControlProps) {
  const [span, setSpan] = useState(view.span ?? DEFAULT_SPAN);
  const shown = view.span ?? span;
  const choose = (value: number) => {
    setSpan(value);
    onView({ span: value });
  };
  return (
    <Popover
      label="Smoothing"
      button={{
        children: view.span === null ? "EMA off" : `EMA ${view.span}`,
        className: view.span === null ? undefined : styles.on,
        title: "Exponential moving average of all charts",
      }}
    >
      {() => (
        <div className={styles.smoothing}>
          <MenuSwitch checked={view.span !== null} onChange={(on) => onView({ span: on ? shown : null })}>
            Smooth the lines
          </MenuSwitch>
          <label className={styles.span}>
            Span
            <input
              type="range"
              min={MIN_SPAN}
              max={MAX_SPAN}
              value={shown}
              onChange={(event) => choose(Number(event.target.value))}
            />
            <output>{shown}</output>
          </label>
          <p className={styles.note}>
            α = 2 / (span + 1) = {(2 / (shown + 1)).toPrecision(2)}. The raw line stays, faint, behind it. A line of
            fewer values than the span is drawn as it is.
          </p>
        </div>
      )}
    </Popover>
  );
}

export function AxisControl({ view, onView }: ControlProps) {
  return (
    <Popover
      label="X axis"
      align="end"
      button={{ children: AXIS_NAMES[view.axis], opens: true, title: "X axis of all charts" }}
    >
      {(close) =>
        X_AXES.map((axis) => (
          <MenuItem
            key={axis}
            chosen={axis === view.axis}
            onClick={() => {
              onView({ axis });
              close();
            }}
          >
            {AXIS_NAMES[axis]}
          </MenuItem>
        ))
      }
    </Popover>
  );
}

/** Nothing after this step is drawn, nor does it stretch an axis. */
export function MaxStepControl({ view, onView }: ControlProps) {
  return (
    <label className={styles.maxStep} data-set={view.maxStep !== null || undefined}>
      Max step
      <input
        inputMode="numeric"
        placeholder="all"
        value={view.maxStep ?? ""}
        onChange={(event) => {
          const digits = event.target.value.replace(/\D/g, "").slice(0, 12);
          onView({ maxStep: digits === "" ? null : Number(digits) });
        }}
      />
    </label>
  );
}

/** Appears while the charts show a stretch of their x axis. */
export function ZoomControl() {
  const { zoom, setZoom, listSteps } = useCharts();
  if (!zoom) return null;
  const steps = { first: Math.ceil(zoom.min), last: Math.floor(zoom.max) };
  return (
    <>
      <Button
        on
        icon="close"
        onClick={() => setZoom(null)}
        title="Show the whole x axis again (double click on a chart)"
      >
        Zoomed
      </Button>
      {!listSteps && zoom.axis === "step" && steps.last >= steps.first && (
        <Button
          icon="filter"
          title={`List the samples of steps ${steps.first} to ${steps.last}`}
          onClick={() => openSteps(steps.first, steps.last)}
        >
          {steps.first}–{steps.last}
        </Button>
      )}
    </>
  );
}
