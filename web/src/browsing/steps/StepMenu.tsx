import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { StepRow } from "../../api/types";
import { formatBytes, formatCount, formatReward } from "../../lib/numbers";
import { qualityColour } from "../../reading/outcome/colourScale";
import { Popover } from "../../ui/menus/Popover";
import styles from "./StepMenu.module.css";

const ROW_HEIGHT = 26;

interface StepMenuProps {
  steps: readonly StepRow[];
  step: number | null;
  discarded: boolean;
  onStep: (step: number) => void;
}

/** Every step with its size and mean reward. */
export function StepMenu({ steps, step, discarded, onStep }: StepMenuProps) {
  const last = steps.at(-1)?.step;
  return (
    <Popover
      label="All steps"
      className={styles.panel ?? ""}
      button={{
        quiet: true,
        opens: true,
        className: styles.button,
        "aria-label": `All steps; the last is ${last ?? "none"}`,
        children: `/ ${last ?? "–"}`,
      }}
    >
      {(close) => (
        <StepTable
          steps={steps}
          step={step}
          discarded={discarded}
          onStep={(chosen) => {
            onStep(chosen);
            close();
          }}
        />
      )}
    </Popover>
  );
}

function StepTable({ steps, step, discarded, onStep }: StepMenuProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const current = steps.findIndex((row) => row.step === step);
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  useEffect(() => {
    if (current >= 0) virtual.scrollToIndex(current, { align: "center" });
    scroller.current?.focus();
  }, [current, virtual]);
  const means = steps.flatMap(({ reward }) => (reward.mean === null ? [] : [reward.mean]));
  const low = means.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = means.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return (
    <>
      <div className={styles.head} aria-hidden="true">
        <span>step</span>
        <span>{discarded ? "discarded" : "samples"}</span>
        <span>groups</span>
        <span>size</span>
        <span>mean reward</span>
      </div>
      <div
        ref={scroller}
        className={styles.scroller}
        style={{ height: Math.min(360, steps.length * ROW_HEIGHT) }}
        role="listbox"
        aria-label="Steps"
        tabIndex={0}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }[event.key];
          const next = by === undefined ? undefined : steps[Math.min(steps.length - 1, Math.max(0, current + by))];
          if (!next) return;
          event.preventDefault();
          event.stopPropagation();
          onStep(next.step);
        }}
      >
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = steps[index] as StepRow;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox has the focus and handles the keys.
              // biome-ignore lint/a11y/useFocusableInteractive: options of a focused listbox.
              <div
                key={row.step}
                role="option"
                aria-selected={row.step === step}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => onStep(row.step)}
              >
                <span>{row.step}</span>
                <span>{formatCount(discarded ? row.discarded : row.samples)}</span>
                <span>{formatCount(row.groups)}</span>
                <span>{row.bytes == null ? "–" : formatBytes(row.bytes)}</span>
                <MeanReward mean={row.reward.mean} low={low} high={high} />
                {!row.complete && <em>filling</em>}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The mean as a figure and a bar between the run's lowest and highest step. */
function MeanReward({ mean, low, high }: { mean: number | null; low: number; high: number }) {
  const place = mean === null || high <= low ? 0.5 : (mean - low) / (high - low);
  return (
    <span className={styles.mean}>
      <i style={{ width: `${Math.max(4, place * 100)}%`, background: mean === null ? "none" : qualityColour(place) }} />
      <b>{formatReward(mean)}</b>
    </span>
  );
}
