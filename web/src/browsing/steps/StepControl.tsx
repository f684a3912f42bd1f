import { memo, useEffect, useState } from "react";
import type { StepRow } from "../../api/types";
import { Button } from "../../ui/Button";
import { nearestStep, stepTarget } from "../readingOrder";
import { Scrubber } from "./Scrubber";
import styles from "./StepControl.module.css";
import { StepMenu } from "./StepMenu";

interface StepControlProps {
  steps: readonly StepRow[];
  step: number | null;
  following: boolean;
  /** On the Discarded page sizes and the curve are of discarded samples. */
  discarded: boolean;
  onStep: (step: number) => void;
  onFollow: (follow: boolean) => void;
}

const meanReward = (row: StepRow): number | null => row.reward.mean;
const discardedCount = (row: StepRow): number => row.discarded;

/** First, previous, a box to type a step, all steps, next, last; follow the newest; the curve to scrub along. */
export const StepControl = memo(function StepControl({
  steps,
  step,
  following,
  discarded,
  onStep,
  onFollow,
}: StepControlProps) {
  const numbers = steps.map((row) => row.step);
  const to = (action: "first-step" | "previous-step" | "next-step" | "last-step") => {
    const next = stepTarget(numbers, step, action);
    const isHere = next === null || next === step;
    return { disabled: isHere, onClick: () => !isHere && onStep(next) };
  };
  return (
    <div className={styles.control}>
      <div className={styles.row}>
        <Button icon="first" aria-label="First step" {...to("first-step")} />
        <Button icon="chevron-left" aria-label="Previous step (P)" {...to("previous-step")} />
        <StepBox
          step={step}
          onStep={(typed) => {
            const nearest = nearestStep(numbers, typed);
            if (nearest !== null) onStep(nearest);
          }}
        />
        <StepMenu steps={steps} step={step} discarded={discarded} onStep={onStep} />
        <Button icon="chevron-right" aria-label="Next step (N)" {...to("next-step")} />
        <Button icon="last" aria-label="Last step" {...to("last-step")} />
        <span className={styles.space} />
        <Button on={following} onClick={() => onFollow(!following)} title="Go to each new step as it appears">
          Follow
        </Button>
      </div>
      <Scrubber
        steps={steps}
        step={step}
        measure={discarded ? discardedCount : meanReward}
        name={discarded ? "discarded" : "reward"}
        onStep={onStep}
      />
    </div>
  );
});

/** A number to type; Enter goes there, Escape takes it back. */
function StepBox({ step, onStep }: { step: number | null; onStep: (step: number) => void }) {
  const [text, setText] = useState(String(step ?? ""));
  useEffect(() => setText(String(step ?? "")), [step]);
  const commit = (): void => {
    const typed = Number.parseInt(text, 10);
    if (Number.isFinite(typed) && typed !== step) onStep(typed);
    else setText(String(step ?? ""));
  };
  return (
    <input
      className={styles.box}
      aria-label="Step"
      inputMode="numeric"
      value={text}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setText(String(step ?? ""));
      }}
    />
  );
}
