/** The pane at the right: the run's charts, or the turns of the open sample where it has several. */
import { lazy, Suspense, useMemo, useRef } from "react";
import { useSample } from "../../api/hooks";
import { plural } from "../../lib/numbers";
import { turnOutcomes } from "../../reading/messages/turnOutcomes";
import { setTurnsSlot } from "../../reading/messages/useTurnsSlot";
import { setting, useSetting } from "../../state/settings";
import { Switch } from "../../ui/menus/Switch";
import styles from "./RightPane.module.css";

const MetricsSidebar = lazy(() => import("../../dashboards/MetricsSidebar"));

const CHOICES = [
  { value: "charts", label: "Charts" },
  { value: "turns", label: "Turns" },
] as const;
const rightPaneSetting = setting<string>("right-pane-shows", "charts");

interface RightPaneProps {
  run: string | null;
  address: string | null;
  step: number | null;
  steps: readonly number[];
}

export function RightPane({ run, address, step, steps }: RightPaneProps) {
  const [shows, setShows] = useSetting(rightPaneSetting);
  const { data: sample } = useSample(run ?? "", address);
  const turns = useMemo(() => (sample ? turnOutcomes(sample) : []), [sample]);
  // Once a run's samples were seen to have turns, the switch stays: charts must not move from sample to sample.
  const ofTurns = useRef<string | null>(null);
  if (turns.length > 1) ofTurns.current = run;
  const offersTurns = run !== null && ofTurns.current === run;
  const failing = turns.filter(({ failure }) => failure !== null).length;
  const showsTurns = offersTurns && shows === "turns";
  return (
    <div className={styles.pane}>
      {offersTurns && (
        <div className={styles.head}>
          <Switch label="At the right" choices={CHOICES} chosen={showsTurns ? "turns" : "charts"} onChoose={setShows} />
          <small>
            {turns.length > 1 && (failing > 0 ? `${failing} of ${turns.length} failing` : plural(turns.length, "turn"))}
          </small>
        </div>
      )}
      {showsTurns ? (
        <section className={styles.turns} aria-label="Turns">
          {turns.length === 1 && <p>This sample has one turn.</p>}
          <div ref={setTurnsSlot} />
        </section>
      ) : (
        <Suspense fallback={null}>
          <MetricsSidebar step={step} steps={steps} />
        </Suspense>
      )}
    </div>
  );
}
