import { type ReactNode, useState } from "react";
import { DEFAULT_K, MAX_K } from "../../lib/outliers";
import { MenuItem, MenuLine, MenuSwitch, MenuTitle } from "../../ui/menus/Menu";
import {
  BANDS,
  type Band,
  type ChartSettings,
  type ChartSpec,
  parseBound,
  rangeProblem,
} from "../series/chartSettings";
import styles from "./ChartMenu.module.css";
import { ChartMetrics } from "./ChartMetrics";

interface ChartMenuProps {
  readonly spec: ChartSpec;
  /** It is the mean of a field, whose spread can be drawn around it. */
  readonly hasBand: boolean;
  readonly onSettings: (settings: ChartSettings) => void;
  /** Rows for what can be done with the chart. */
  readonly actions: ReactNode;
}

const BAND_NAMES: Record<Band, string> = { std: "Standard deviation", range: "Smallest to largest", none: "Nothing" };

/** Behind a chart's gear: how it draws, and what can be done with it. Changes show at once. */
export function ChartMenu({ spec, hasBand, onSettings, actions }: ChartMenuProps) {
  const { kind, settings } = spec;
  const [isAdding, setAdding] = useState(false);
  const change = (patch: Partial<ChartSettings>) => onSettings({ ...settings, ...patch });
  const problem = rangeProblem(settings);
  if (isAdding) {
    return <ChartMetrics spec={spec} onMore={(more) => change({ more })} onDone={() => setAdding(false)} />;
  }
  return (
    <div className={styles.menu}>
      {kind === "line" && (
        <>
          <MenuSwitch checked={settings.ignoreOutliers} onChange={(on) => change({ ignoreOutliers: on })}>
            Ignore outliers
          </MenuSwitch>
          <div className={styles.reach}>
            beyond
            <NumberBox
              value={settings.k}
              placeholder={String(DEFAULT_K)}
              label="Outliers lie this many interquartile ranges outside the quartiles"
              onChange={(k) => change({ k: k !== null && k > 0 ? Math.min(k, MAX_K) : DEFAULT_K })}
            />
            × the interquartile range
          </div>
        </>
      )}
      <MenuSwitch checked={settings.ignoreFirst} onChange={(on) => change({ ignoreFirst: on })}>
        Ignore first step
      </MenuSwitch>
      {kind === "line" && (
        <MenuSwitch checked={settings.log} onChange={(on) => change({ log: on })}>
          Log scale
        </MenuSwitch>
      )}
      {hasBand && (
        <>
          <MenuTitle>Around the mean</MenuTitle>
          {BANDS.map((band) => (
            <MenuItem key={band} chosen={settings.band === band} onClick={() => change({ band })}>
              {BAND_NAMES[band]}
            </MenuItem>
          ))}
        </>
      )}
      <MenuTitle>Y axis</MenuTitle>
      <div className={styles.row}>
        <NumberBox value={settings.yMin} placeholder="auto" label="Y minimum" onChange={(yMin) => change({ yMin })} />
        <span aria-hidden="true">…</span>
        <NumberBox value={settings.yMax} placeholder="auto" label="Y maximum" onChange={(yMax) => change({ yMax })} />
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <MenuLine />
      {kind === "line" && (
        <MenuItem onClick={() => setAdding(true)}>
          {settings.more.length === 0 ? "Draw other metrics in this chart…" : "Change the metrics of this chart…"}
        </MenuItem>
      )}
      {actions}
    </div>
  );
}

interface NumberBoxProps {
  readonly value: number | null;
  readonly placeholder: string;
  readonly label: string;
  readonly onChange: (value: number | null) => void;
}

/** Keeps what is being typed ("-", "1e") as it is, and passes on only numbers. */
function NumberBox({ value, placeholder, label, onChange }: NumberBoxProps) {
  const [text, setText] = useState(value === null ? "" : String(value));
  return (
    <input
      className={styles.number}
      inputMode="decimal"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        const typed = parseBound(event.target.value);
        if (typed !== null || event.target.value.trim() === "") onChange(typed);
      }}
    />
  );
}
