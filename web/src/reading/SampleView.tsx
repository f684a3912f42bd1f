import { memo, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { createPortal, flushSync } from "react-dom";
import { useSample } from "../api/hooks";
import type { RunDetails, Sample } from "../api/types";
import { useSetting } from "../state/settings";
import { useKeys } from "../state/useKeys";
import { go, linkToHere, useView } from "../state/view";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { useAfterPaint } from "../ui/hooks/useAfterPaint";
import { useGrowing } from "../ui/hooks/useGrowing";
import { useWiderThan } from "../ui/hooks/useWiderThan";
import { Failure, Skeleton } from "../ui/States";
import { DiffPickBar, useTakeForDiff } from "./compare/DiffPickBar";
import { FindBar } from "./find/FindBar";
import { MarkBar } from "./find/marks/MarkBar";
import { useMarks } from "./find/marks/useMarks";
import { useFind } from "./find/useFind";
import { PromptHistory } from "./history/PromptHistory";
import { useFolds } from "./messages/folds";
import { MessageView } from "./messages/MessageView";
import { Outline } from "./messages/Outline";
import type { PartContext } from "./messages/PartView";
import { Transcripts } from "./messages/Transcripts";
import { TurnList } from "./messages/TurnList";
import { TurnStrip } from "./messages/TurnStrip";
import { nextFailing, turnOutcomes } from "./messages/turnOutcomes";
import { nextTop, turnAt } from "./messages/turns";
import { useTurnsSlot } from "./messages/useTurnsSlot";
import type { Observed, Scale } from "./outcome/colourScale";
import { scaleFor } from "./outcome/colourScale";
import { Golden } from "./outcome/Golden";
import { Outcome } from "./outcome/Outcome";
import { Rewards } from "./outcome/Rewards";
import { TurnsTable } from "./outcome/TurnsTable";
import { useSampleTitle } from "./outcome/useSampleTitle";
import { RawView } from "./raw/RawView";
import { Details, Notes, SourceRecord } from "./SampleDetails";
import styles from "./SampleView.module.css";
import { RenderMenu } from "./text/RenderMenu";
import { markersSetting, renderSetting } from "./text/renderSettings";
import { TokensView } from "./tokens/TokensView";

/** From here on an outline stands beside the text, as in the style sheet. */
const WIDE = 1400;
/** A message that is scrolled to stands this far below the pane's edge, or below the strip of turns. */
const BELOW_EDGE = 10;
const BELOW_STRIP = 40;

interface SampleViewProps {
  run: string;
  details: RunDetails | null;
  address: string;
  /** 0-based place in what one pages through, for "5 of 8". */
  place: { nth: number | null; total: number };
  observed: Observed;
  /** Previous and next buttons. */
  moves: ReactNode;
  canCompare: boolean;
}

/** One sample, whole: what came out, then all that was said. */
export function SampleView({ run, details, address, place, observed, moves, canCompare }: SampleViewProps) {
  const view = useView();
  const { data: sample, error, isPlaceholderData } = useSample(run, address);
  const [render] = useSetting(renderSetting);
  const [markers] = useSetting(markersSetting);
  const body = useRef<HTMLDivElement>(null);
  const find = useFind(body, view.raw ? null : (sample?.address ?? null));
  const folds = useFolds(view.find !== "");
  const shown = sample?.address ?? address;
  const marks = useMarks(run, sample, body, folds);
  const current = marks.at === null ? null : marks.marks[marks.at];
  const target = current?.span.parts[0] ?? null;
  const context = useMemo<PartContext>(
    () => ({ run, address: shown, render, markers, folds, target }),
    [run, shown, render, markers, folds, target],
  );
  const env = sample?.env ?? null;
  const scaleOf = useMemo(() => {
    const ranges = details?.ranges ?? {};
    return (field: string): Scale => scaleFor(field, env, ranges, observed);
  }, [details, env, observed]);

  const appendix = useAfterPaint(useMemo(() => ({ run, sample, context, scaleOf }), [run, sample, context, scaleOf]));

  // Another sample starts at its top; a find scrolls by itself. Only if it was scrolled: to set the position makes the
  // browser lay out the new sample at once, and then again when its boxes go to their ends.
  const isScrolled = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` is the reason.
  useLayoutEffect(() => {
    if (body.current && isScrolled.current && !view.find) body.current.scrollTop = 0;
  }, [shown]);
  useSampleTitle(details?.info.name ?? run, address);

  const [wantedWhole, setWanted] = useState<string | null>(null);
  const isWhole = find.isOpen || marks.at !== null || wantedWhole === shown;
  const drawn = useGrowing(sample?.messages.length ?? 0, shown, isWhole);

  const showValues = (): void => {
    if (view.raw) go({ raw: false });
    folds.toggle("rewards", true);
    body.current?.scrollTo({ top: 0 });
  };
  const takeForDiff = useTakeForDiff();
  const isUnfolded = folds.all !== false;
  const foldLabel = isUnfolded ? "Fold all" : "Unfold all";
  const outcomes = useMemo(() => (sample ? turnOutcomes(sample) : []), [sample]);
  const [turn, setTurn] = useState<number | null>(null);
  /** Where turns begin, as scroll positions: what is read stands just below the strip of turns. */
  const turnTops = (): { turn: number; top: number }[] =>
    [...(body.current?.querySelectorAll<HTMLElement>("[data-turn]") ?? [])].map((element) => ({
      turn: Number(element.dataset.turn),
      top: Math.max(0, element.offsetTop - (outcomes.length > 1 ? BELOW_STRIP : BELOW_EDGE)),
    }));
  const byTurn = (by: 1 | -1): void => {
    const box = body.current;
    const top = box ? nextTop([0, ...turnTops().map((start) => start.top)], box.scrollTop, by) : null;
    if (top !== null) box?.scrollTo({ top });
  };
  /** Before going somewhere far: a thousand messages are drawn while one reads the first. */
  const drawAll = useCallback((): void => flushSync(() => setWanted(shown)), [shown]);
  const toTurn = (wanted: number | null): void => {
    drawAll();
    const top = turnTops().find((start) => start.turn === wanted)?.top;
    if (top !== undefined) body.current?.scrollTo({ top });
  };
  // Asked once a frame: where turns begin is known only after layout.
  const pending = useRef(0);
  const noteTurn = (): void => {
    cancelAnimationFrame(pending.current);
    pending.current = requestAnimationFrame(() => setTurn(turnAt(turnTops(), body.current?.scrollTop ?? 0)));
  };
  const toMessage = useCallback(
    (index: number): void => {
      drawAll();
      const sections = body.current?.querySelectorAll<HTMLElement>("[data-message]") ?? [];
      const section = [...sections].find((element) => element.dataset.message === String(index));
      if (section) body.current?.scrollTo({ top: Math.max(0, section.offsetTop - BELOW_STRIP) });
    },
    [drawAll],
  );
  const isWide = useWiderThan(body, WIDE, sample === undefined || view.raw);
  const outlined = useAfterPaint(useMemo(() => ({ sample, outcomes }), [sample, outcomes]));
  const turnsSlot = useTurnsSlot();
  useKeys({
    "next-turn": () => byTurn(1),
    "previous-turn": () => byTurn(-1),
    "failing-turn": () => toTurn(nextFailing(outcomes, turn)),
    "previous-failing-turn": () => toTurn(nextFailing(outcomes, turn, -1)),
    top: () => body.current?.scrollTo({ top: 0 }),
    bottom: () => {
      drawAll();
      body.current?.scrollTo({ top: body.current.scrollHeight });
    },
    // Beside the tree of a group they are the tree's.
    ...(view.tree ? {} : { "next-mark": () => marks.move(1), "previous-mark": () => marks.move(-1) }),
    find: find.open,
    clear: find.close,
    raw: () => go({ raw: !view.raw }),
    fold: () => folds.setAll(!isUnfolded),
    diff: () => takeForDiff({ run, address }),
    ...(canCompare ? { side: () => go({ side: !view.side }) } : {}),
  });

  if (error && !isPlaceholderData) {
    return (
      <Failure error={error}>
        <Button onClick={() => go({ sample: null, group: null })}>Open the first sample of the step</Button>
      </Failure>
    );
  }
  if (!sample) return <SampleSkeleton />;
  const actions = (
    <>
      {moves}
      {canCompare && (
        <>
          <Button
            icon="tree"
            aria-label="The group as a tree (t)"
            title="The group as a tree (t)"
            on={view.tree}
            onClick={() => go({ tree: !view.tree })}
          />
          <Button
            icon="side"
            aria-label="Compare the group side by side (c)"
            title="Compare the group side by side (c)"
            onClick={() => go({ side: true, tree: false })}
          />
        </>
      )}
      <Button on={view.raw} onClick={() => go({ raw: !view.raw })}>
        Raw
      </Button>
      {!view.raw && (
        <>
          <RenderMenu />
          <Button className={styles.long} onClick={() => folds.setAll(!isUnfolded)} title={`${foldLabel} (e)`}>
            {foldLabel}
          </Button>
          <Button
            className={styles.short}
            icon={isUnfolded ? "fold-all" : "unfold-all"}
            aria-label={`${foldLabel} (e)`}
            onClick={() => folds.setAll(!isUnfolded)}
          />
        </>
      )}
      <CopyButton text={linkToHere} icon="link" aria-label="Copy link" />
    </>
  );
  return (
    <article className={styles.sample} aria-busy={isPlaceholderData} aria-label={`Sample ${shown}`}>
      <Outcome sample={sample} place={place} scaleOf={scaleOf} actions={actions} onMore={showValues} />
      {turnsSlot &&
        outlined.sample &&
        outlined.outcomes.length > 1 &&
        createPortal(
          <TurnList sample={outlined.sample} outcomes={outlined.outcomes} current={turn} onTurn={toTurn} />,
          turnsSlot,
        )}
      <div className={styles.bars}>
        <DiffPickBar run={run} address={address} />
        <MarkBar run={run} marks={marks} />
      </div>
      {view.raw ? (
        <RawView run={run} address={address} isFinding={find.isOpen} onCloseFind={find.close} marks={marks} />
      ) : (
        <div className={styles.under}>
          {find.isOpen && (
            <FindBar
              text={find.text}
              onText={find.setText}
              count={find.count}
              at={find.at}
              onMove={find.move}
              onClose={find.close}
              offerRaw
            />
          )}
          <section
            ref={body}
            className={styles.body}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
            tabIndex={0}
            aria-label="Sample text"
            onScroll={(event) => {
              if (event.target !== event.currentTarget) return;
              isScrolled.current = event.currentTarget.scrollTop > 0;
              if (outcomes.length > 1) noteTurn();
            }}
          >
            <div className={styles.column}>
              <div className={styles.beside}>
                <Golden sample={sample} render={render} />
                <Rewards sample={sample} scaleOf={scaleOf} folds={folds} />
              </div>
              {isWide && outlined.sample && (
                <div className={styles.outline}>
                  <Outline sample={outlined.sample} outcomes={outcomes} turn={turn} onMessage={toMessage} />
                </div>
              )}
              <div className={styles.text}>
                {outcomes.length > 1 && <TurnStrip outcomes={outcomes} current={turn} onTurn={toTurn} />}
                {sample.messages.slice(0, drawn).map((message, index) => (
                  <MessageView key={index} sample={sample} message={message} index={index} context={context} />
                ))}
                {sample.messages.length === 0 && <p className={styles.none}>This sample has no text, only numbers.</p>}
                {drawn === sample.messages.length && <Appendix {...appendix} />}
              </div>
            </div>
          </section>
        </div>
      )}
    </article>
  );
}

interface AppendixProps {
  run: string;
  sample: Sample | undefined;
  context: PartContext;
  scaleOf: (field: string) => Scale;
}

/** What follows the messages, mostly folded: drawn after them. */
const Appendix = memo(function Appendix({ run, sample, context, scaleOf }: AppendixProps) {
  if (!sample) return null;
  const { folds } = context;
  return (
    <>
      <TurnsTable sample={sample} folds={folds} />
      <Transcripts sample={sample} context={context} />
      <TokensView run={run} sample={sample} folds={folds} />
      <Notes sample={sample} folds={folds} />
      <PromptHistory run={run} sample={sample} folds={folds} scaleOf={scaleOf} />
      <Details sample={sample} folds={folds} />
      <SourceRecord run={run} sample={sample} folds={folds} />
    </>
  );
});

export function SampleSkeleton() {
  return (
    <div className={styles.skeleton}>
      <Skeleton lines={2} label="Loading the sample" />
      <Skeleton lines={9} label="Loading the sample" />
    </div>
  );
}
