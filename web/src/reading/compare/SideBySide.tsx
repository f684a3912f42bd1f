import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useSample } from "../../api/hooks";
import type { RunDetails, Sample } from "../../api/types";
import { formatCount, formatReward, formatSigned, plural } from "../../lib/numbers";
import { useSetting } from "../../state/settings";
import { useKeys } from "../../state/useKeys";
import { go } from "../../state/view";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { useWidth } from "../../ui/hooks/useWidth";
import { Failure, Skeleton } from "../../ui/States";
import { useFolds } from "../messages/folds";
import { MessageView } from "../messages/MessageView";
import { promptEnd } from "../messages/messageTitles";
import type { PartContext } from "../messages/PartView";
import { colourOf, type Observed, scaleFor } from "../outcome/colourScale";
import { reasonText } from "../outcome/discardReasons";
import { Golden } from "../outcome/Golden";
import { valueText } from "../outcome/outcomeFacts";
import { useSampleTitle } from "../outcome/useSampleTitle";
import { RenderMenu } from "../text/RenderMenu";
import { markersSetting, renderSetting } from "../text/renderSettings";
import { columnWidth } from "./columnWidth";
import styles from "./SideBySide.module.css";

interface SideBySideProps {
  run: string;
  details: RunDetails | null;
  group: string;
  addresses: readonly string[];
  current: string;
  observed: Observed;
  onOpen: (address: string) => void;
}

/** All completions of one prompt in columns. Only columns in view are fetched and drawn. */
export function SideBySide({ run, details, group, addresses, current, observed, onOpen }: SideBySideProps) {
  const [scrollerRef, pane, scroller] = useWidth<HTMLDivElement>();
  const { data: first } = useSample(run, addresses[0] ?? null);
  const width = columnWidth(pane, addresses.length);
  const virtual = useVirtualizer({
    count: addresses.length,
    horizontal: true,
    getScrollElement: () => scroller.current,
    estimateSize: () => width,
    overscan: 1,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `width` is the reason to measure again.
  useEffect(() => virtual.measure(), [width, virtual]);
  // Opens at the sample one came from, once the columns have their width; after that the reader scrolls.
  const isPlaced = useRef(false);
  useEffect(() => {
    if (isPlaced.current || pane === 0) return;
    isPlaced.current = true;
    virtual.scrollToIndex(Math.max(0, addresses.indexOf(current)), { align: "auto" });
  }, [pane, virtual, addresses, current]);
  useSampleTitle(details?.info.name ?? run, current);
  useKeys({ side: () => go({ side: false }), clear: () => go({ side: false }) });
  return (
    <div className={styles.side}>
      <header className={styles.head}>
        <span>
          Group <b>{group}</b> · {plural(addresses.length, "completion")} of one prompt
        </span>
        <span className={styles.actions}>
          <RenderMenu />
          <Button icon="tree" onClick={() => go({ side: false, tree: true })} title="As a tree (t)">
            As a tree
          </Button>
          <Button icon="close" onClick={() => go({ side: false })}>
            One sample
          </Button>
        </span>
      </header>
      {first && <Prompt run={run} sample={first} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section ref={scrollerRef} className={styles.scroller} tabIndex={0} aria-label="Completions side by side">
        <div className={styles.all} style={{ width: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const address = addresses[index] as string;
            return (
              <div key={address} className={styles.column} style={{ transform: `translateX(${start}px)`, width }}>
                <Column
                  run={run}
                  details={details}
                  address={address}
                  observed={observed}
                  isCurrent={address === current}
                  onOpen={() => onOpen(address)}
                />
              </div>
            );
          })}
        </div>
      </section>
    </div>
  );
}

/** What all columns answer to, once. */
function Prompt({ run, sample }: { run: string; sample: Sample }) {
  const [render] = useSetting(renderSetting);
  const [markers] = useSetting(markersSetting);
  const folds = useFolds(false);
  const context = useMemo<PartContext>(
    () => ({ run, address: sample.address, render, markers, folds }),
    [run, sample, render, markers, folds],
  );
  return (
    <div className={styles.prompt}>
      <Golden sample={{ ...sample, messages: [] }} render={render} />
      {sample.messages.slice(0, promptEnd(sample.messages)).map((message, index) => (
        <MessageView key={index} sample={sample} message={message} index={index} context={context} />
      ))}
    </div>
  );
}

interface ColumnProps {
  run: string;
  details: RunDetails | null;
  address: string;
  observed: Observed;
  isCurrent: boolean;
  onOpen: () => void;
}

function Column({ run, details, address, observed, isCurrent, onOpen }: ColumnProps) {
  const { data: sample, error } = useSample(run, address);
  const [render] = useSetting(renderSetting);
  const [markers] = useSetting(markersSetting);
  const folds = useFolds(false);
  const context = useMemo<PartContext>(
    () => ({ run, address, render, markers, folds }),
    [run, address, render, markers, folds],
  );
  if (error) return <Failure error={error} />;
  if (!sample || sample.address !== address) return <Skeleton lines={8} label="Loading a completion" />;
  const ranges = details?.ranges ?? {};
  const scale = scaleFor("reward", sample.env, ranges, observed);
  const start = promptEnd(sample.messages);
  return (
    <section
      className={styles.completion}
      data-current={isCurrent || undefined}
      aria-label={`Completion ${sample.index}`}
    >
      <button type="button" className={styles.title} onClick={onOpen} title="Open this sample">
        <b>{sample.index}</b>
        <strong style={{ color: colourOf(scale, sample.reward, "ink") }}>
          {valueText(sample, "reward", sample.reward, formatReward)}
        </strong>
        {sample.advantage !== null && <span>{formatSigned(sample.advantage)}</span>}
        <span>{formatCount(sample.completion_tokens)} tokens</span>
        {sample.status && sample.status !== "completed" && <Badge tone="bad">{sample.status}</Badge>}
        {sample.discard_reason && <Badge tone="warn">{reasonText(sample.discard_reason)}</Badge>}
      </button>
      <div className={styles.text}>
        {sample.messages.slice(start).map((message, index) => (
          <MessageView key={index} sample={sample} message={message} index={start + index} context={context} />
        ))}
      </div>
    </section>
  );
}
