import { lazy, type ReactNode, Suspense, useMemo, useRef } from "react";
import { BrowsePane } from "../../browsing/BrowsePane";
import { scatterOf } from "../../browsing/list/ListFooter";
import { type Spot, stepTarget } from "../../browsing/readingOrder";
import { acrossPatch } from "../../browsing/steps/StepsSwitch";
import { type Browser, useBrowser } from "../../browsing/useBrowser";
import { type Reading, useReading } from "../../browsing/useReading";
import { treePatch } from "../../insights/group/treePicks";
import { SideBySide } from "../../reading/compare/SideBySide";
import { MiniNavigator } from "../../reading/MiniNavigator";
import { SampleSkeleton, SampleView } from "../../reading/SampleView";
import { alongTrail } from "../../state/searchTrail";
import type { PageQuery } from "../../state/selection";
import { addressOf, pageOfSplit, parseAddress } from "../../state/url";
import { useKeys } from "../../state/useKeys";
import { currentView, go, useView, useViewPart } from "../../state/view";
import { Button } from "../../ui/Button";
import { useAfterPaint } from "../../ui/hooks/useAfterPaint";
import { Empty, Failure } from "../../ui/States";
import { Panes, usePane } from "../panes/Panes";
import { RightPane } from "../panes/RightPane";
import { NoRun } from "../WithRun";
import { Indexing } from "./Indexing";
import styles from "./SamplesPage.module.css";

const GroupTree = lazy(() => import("../../insights/group/GroupTree"));
const DiffPane = lazy(() => import("../../insights/group/DiffPane"));

interface SamplesPageProps {
  query: PageQuery;
  /** What a page says when the run holds nothing for it. */
  nothing: ReactNode;
  /** A strip above the sample: pass@k on Evals, reasons on Discarded. */
  summary?: (browser: Browser) => ReactNode;
}

/** Rollouts, Discarded and Evals: one page, three queries. */
export function SamplesPage({ query, nothing, summary }: SamplesPageProps) {
  const browser = useBrowser(query);
  const reading = useReading(browser);
  // The sample first, then the list that marks it: one waits for the text.
  const listed = useAfterPaint(reading);
  const filter = useRef<HTMLTextAreaElement>(null);
  useListKeys(browser, reading, filter);
  const steps = useMemo(() => browser.steps.map(({ step }) => step), [browser.steps]);
  const showsTree = useViewPart("tree");

  if (browser.error && !browser.run) return <Failure error={browser.error} onRetry={browser.retry} />;
  const otherwise = browser.reading ? <Indexing progress={browser.reading} /> : nothing;
  if (!browser.loading && browser.run && browser.split === null)
    return <div className={styles.nothing}>{otherwise}</div>;
  const isTree = showsTree && browser.run !== null && reading.address !== null;
  return (
    <Panes
      leftLabel={isTree ? "the tree" : "the list"}
      isTree={isTree}
      left={
        isTree && browser.run && reading.address !== null ? (
          <Suspense fallback={null}>
            <GroupTree
              run={browser.run.id}
              details={browser.details}
              address={reading.address}
              moves={<GroupMoves reading={reading} />}
            />
          </Suspense>
        ) : (
          <BrowsePane browser={browser} reading={listed} filterRef={filter} />
        )
      }
      rightLabel="the metrics"
      right={
        isTree ? null : (
          <RightPane
            run={browser.run?.id ?? null}
            address={reading.address}
            step={browser.step?.step ?? null}
            steps={steps}
          />
        )
      }
    >
      <div className={styles.middle}>
        {summary && browser.run && browser.split !== null && summary(browser)}
        <Middle browser={browser} reading={reading} nothing={otherwise} />
      </div>
    </Panes>
  );
}

function Middle({ browser, reading, nothing }: { browser: Browser; reading: Reading; nothing: ReactNode }) {
  const view = useView();
  const { run, details } = browser;
  if (browser.error) return <Failure error={browser.error} onRetry={browser.retry} />;
  if (!run) return browser.loading ? <SampleSkeleton /> : <NoRun wanted={view.run} />;
  if (!browser.loading && browser.steps.length === 0) return <>{nothing}</>;
  if (!browser.loading && browser.step === null)
    return <NoStep step={view.step} steps={browser.steps.map(({ step }) => step)} />;
  if (reading.address === null) {
    const { isPending, error } = view.list === "samples" ? reading.flat : reading.groups;
    const isEmpty = (view.where !== "" || reading.isAcross) && !isPending;
    return isEmpty || error ? (
      <Empty icon="filter" title="No sample to show">
        <p>Change or clear the filter{reading.isAcross && " or the range of steps"} on the left.</p>
      </Empty>
    ) : (
      <SampleSkeleton />
    );
  }
  const { a, b } = view.other;
  if (view.tree && a && b) {
    return (
      <Suspense fallback={null}>
        <div className={styles.diff}>
          <DiffPane run={run.id} a={a} b={b} against={null} />
        </div>
      </Suspense>
    );
  }
  const group = reading.mates;
  const canCompare = (group?.samples.length ?? 0) > 1;
  const move = (spot: Spot | null): (() => void) | null => (spot === null ? null : () => reading.open(spot));
  if (view.side && group && canCompare && browser.split !== null) {
    const { split } = browser;
    return (
      <SideBySide
        run={run.id}
        details={details}
        group={group.key || "no group"}
        addresses={group.samples.map((sample) => addressOf(split, group.step, sample))}
        current={reading.address}
        observed={reading.groups.observed}
        onOpen={(address) => {
          const place = parseAddress(address);
          if (place) go({ step: place.step, sample: place.sample, side: false });
        }}
      />
    );
  }
  return (
    <>
      <SampleView
        run={run.id}
        details={details}
        address={reading.address}
        place={{ nth: reading.position, total: reading.total }}
        observed={reading.groups.observed}
        canCompare={canCompare}
        moves={
          <>
            <Button
              icon="chevron-left"
              aria-label="Previous sample (p, ←)"
              disabled={reading.previous === null}
              onClick={() => move(reading.previous)?.()}
            />
            <Button
              icon="chevron-right"
              aria-label="Next sample (n, →)"
              disabled={reading.next === null}
              onClick={() => move(reading.next)?.()}
            />
          </>
        }
      />
      <MiniNavigator
        nth={reading.position}
        total={reading.total}
        onPrevious={move(reading.previous)}
        onNext={move(reading.next)}
      />
    </>
  );
}

function GroupMoves({ reading: { previousGroup, nextGroup, open } }: { reading: Reading }) {
  return (
    <>
      <Button
        icon="chevron-left"
        aria-label="Previous group ([)"
        title="Previous group ([)"
        disabled={previousGroup === null}
        onClick={() => previousGroup && open(previousGroup)}
      />
      <Button
        icon="chevron-right"
        aria-label="Next group (])"
        title="Next group (])"
        disabled={nextGroup === null}
        onClick={() => nextGroup && open(nextGroup)}
      />
    </>
  );
}

/** Keys that move through the list and the page. */
function useListKeys(browser: Browser, reading: Reading, filter: React.RefObject<HTMLTextAreaElement | null>): void {
  const [left, setLeft] = usePane(useViewPart("tree") ? "tree" : "left");
  const [right, setRight] = usePane("right");
  const steps = browser.steps.map(({ step }) => step);
  const to = (spot: Spot | null) => () => {
    if (spot !== null) reading.open(spot);
  };
  const toStep = (action: "next-step" | "previous-step") => () => {
    if (reading.isAcross) return reading.openStep(action === "next-step" ? "next_step" : "previous_step");
    const step = stepTarget(steps, browser.step?.step ?? null, action);
    if (step !== null) go({ step });
  };
  useKeys({
    "next-sample": to(reading.next),
    "previous-sample": to(reading.previous),
    "next-group": to(reading.nextGroup),
    "previous-group": to(reading.previousGroup),
    "next-step": toStep("next-step"),
    "previous-step": toStep("previous-step"),
    "next-hit": () => openHit(browser.run?.id, reading.address, 1),
    "previous-hit": () => openHit(browser.run?.id, reading.address, -1),
    "all-steps": () => go(acrossPatch(!reading.isAcross, currentView().sort)),
    tree: () => {
      if (reading.address !== null) go(treePatch(!currentView().tree, currentView()));
    },
    scatter: () => {
      if (reading.list) go(scatterOf(reading.list));
    },
    filter: () => filter.current?.focus(),
    "list-pane": () => setLeft({ ...left, open: !left.open }),
    "metrics-pane": () => setRight({ ...right, open: !right.open }),
  });
}

/** The next sample in which the last search found something. */
function openHit(run: string | undefined, address: string | null, by: 1 | -1): void {
  const hit = run === undefined ? null : alongTrail(run, address, by);
  const place = hit && parseAddress(hit.address);
  if (hit && place) go({ page: pageOfSplit(place.split), ...place, where: "", find: hit.find });
}

function NoStep({ step, steps }: { step: unknown; steps: readonly number[] }) {
  return (
    <Empty icon="warning" title={`There is no step ${String(step)}`}>
      <p>
        This run has steps {steps[0]} to {steps.at(-1)}.{" "}
      </p>
      <p>
        <Button onClick={() => go({ step: null })}>Open the newest</Button>
      </p>
    </Empty>
  );
}
