/** The responses of one group as a tree: what they share stands once, where they part it forks; any two as a diff. */
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useRun, useSample } from "../../api/hooks";
import { groupTreeQuery } from "../../api/insights";
import type { GroupTree, RunDetails, RunInfo, Sample, TreeNode } from "../../api/types";
import { formatCount, formatReward, formatSigned, plural } from "../../lib/numbers";
import { colourOf, type Scale, scaleFor } from "../../reading/outcome/colourScale";
import { useKeys } from "../../state/useKeys";
import { go, useView } from "../../state/view";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Empty, Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { AddressForm } from "../parts/AddressForm";
import { Answered } from "../parts/Answered";
import { InnerLink } from "../parts/InnerLink";
import { openAddress, openSample } from "../parts/openSample";
import { RewardDots } from "../parts/RewardDots";
import { SideMark } from "../parts/SideMark";
import { DiffPane } from "./DiffPane";
import styles from "./GroupTreeView.module.css";
import {
  BRANCHES,
  DOTS,
  forkCount,
  LEAVES,
  opensAtFirst,
  pickNext,
  shownBranches,
  shownStretch,
  thickness,
  widestPair,
} from "./treeLayout";

export function GroupTreeView({ run }: { run: RunInfo }) {
  const view = useView();
  const address = view.other.address ?? openAddress(run, view);
  const { data, error, isFetching } = useQuery({ ...groupTreeQuery(run.id, address), enabled: address !== "" });
  const details = useRun(run.id).data;
  return (
    <>
      <AddressForm
        key={address}
        run={run.id}
        tab="group"
        address={address}
        label="Group to show"
        asks="Address of a sample of the group"
        submit="Show its group"
      />
      {address === "" ? (
        <Empty icon="columns" title="Which group?">
          <p>
            Give the address of one of its samples. What its responses share is shown once, up to where they diverge.
          </p>
        </Empty>
      ) : error ? (
        <Failure error={error} />
      ) : !data || isFetching ? (
        <Skeleton lines={10} label="Reading the group" />
      ) : (
        <Shown tree={data} run={run} details={details} />
      )}
    </>
  );
}

interface Context {
  tree: GroupTree;
  scale: Scale;
  signed: Scale;
  a: string;
  b: string;
  /** Places of samples that are shown however small their branch: those picked, that asked for, one past the widest fork. */
  wanted: readonly number[];
  onPick: (address: string) => void;
}

function Shown({ tree, run, details }: { tree: GroupTree; run: RunInfo; details: RunDetails | undefined }) {
  const { other } = useView();
  const { a = "", b = "" } = other;
  const left = useRef<HTMLDivElement>(null);
  const observed = {
    reward: reach(tree.samples.map(({ reward }) => reward)),
    advantage: reach(tree.samples.map(({ advantage }) => advantage)),
  };
  // All answer one prompt, in one environment: its range is the scale, as everywhere.
  const { data: first } = useSample(run.id, tree.samples[0]?.address ?? null);
  const scaleOf = (field: string) => scaleFor(field, first?.env ?? null, details?.ranges ?? {}, observed);
  const scale = scaleOf("reward");
  const onPick = (address: string): void => {
    show(pickNext(a, b, address));
  };
  const show = (next: { a: string; b: string }): void => {
    const { a: _a, b: _b, ...rest } = other;
    go({ other: { ...rest, ...(next.a ? { a: next.a } : {}), ...(next.b ? { b: next.b } : {}) } }, { replace: true });
  };
  const pair = widestPair(tree);
  const toWidest = (): void => {
    const fork = left.current?.querySelector<HTMLElement>("[data-widest]");
    fork?.scrollIntoView({ block: "center" });
    fork?.focus();
  };
  useKeys({ "next-mark": toWidest, "previous-mark": toWidest });
  const widest = tree.parts_most === null ? null : tree.nodes[tree.parts_most];
  const wanted = tree.samples.flatMap(({ address }, at) => ([a, b, other.address].includes(address) ? [at] : []));
  if (widest?.samples[0] !== undefined) wanted.push(widest.samples[0]);
  const context = { tree, scale, signed: scaleOf("advantage"), a, b, wanted, onPick };
  return (
    <div className={styles.columns} data-picked={(a && b) || undefined}>
      <div className={page.column} ref={left}>
        <p className={page.say}>
          {plural(tree.samples.length, "response")} of group {String(tree.group ?? "–")}, {tree.split} step {tree.step}{" "}
          · {plural(forkCount(tree), "fork")}
          {widest ? (
            <Button quiet onClick={toWidest}>
              widest fork: {formatReward(widest.parting)} apart <kbd>.</kbd>
            </Button>
          ) : (
            " · rewards do not diverge at any fork"
          )}
        </p>
        {first && <Asked sample={first} />}
        <div className={styles.tree}>{tree.nodes.length > 0 && <Node place={0} context={context} />}</div>
        <p className={page.say}>
          <kbd>Space</kbd> or a click picks A, then B · <kbd>.</kbd>{" "}
          {a && b ? "the next difference" : "the widest fork"} · <kbd>Enter</kbd> opens the sample
        </p>
      </div>
      <div className={page.column}>
        {a && b ? (
          <DiffPane run={run.id} a={a} b={b} against={null} />
        ) : (
          <Empty icon="side" title={tree.samples.length < 2 ? "A group of one" : "Pick two samples"}>
            <p>Their words are shown beside each other here.</p>
            {pair && <Button onClick={() => show(pair)}>Show both sides of the widest fork</Button>}
          </Empty>
        )}
      </div>
    </div>
  );
}

function reach(values: readonly (number | null)[]): readonly [number, number] | undefined {
  const known = values.filter((value) => value !== null);
  return known.length ? [Math.min(...known), Math.max(...known)] : undefined;
}

/** What all of them answer. */
function Asked({ sample: { messages, golden_answers } }: { sample: Sample }) {
  const asked = messages.find(({ role }) => role === "user");
  const [golden] = Object.values(golden_answers);
  if (!asked && golden === undefined) return null;
  return (
    <div className={styles.asked}>
      <p>{asked?.parts?.map(({ text }) => text).join("")}</p>
      {golden !== undefined && (
        <p>
          <b>Golden answer</b> {golden}
        </p>
      )}
    </div>
  );
}

function Node({ place, context }: { place: number; context: Context }) {
  const { tree, scale } = context;
  const node = tree.nodes[place] as TreeNode;
  const [whole, setWhole] = useState(false);
  const [all, setAll] = useState(false);
  const [asked, setAsked] = useState(0);
  const [isOpen, setOpen] = useState(() => opensAtFirst(node, tree, context.wanted));
  const branches = shownBranches(node, tree, context.wanted, asked);
  const { head, rest, more } = shownStretch(node.text, node.parent !== null, whole);
  const isWidest = tree.parts_most === place;
  const leaves = all ? node.ended : node.ended.slice(0, LEAVES);
  return (
    <details
      open={isOpen}
      onToggle={({ target, currentTarget }) => target === currentTarget && setOpen(currentTarget.open)}
      className={styles.node}
      style={{ borderLeft: `${thickness(node, tree)}px solid ${colourOf(scale, node.reward_mean)}` }}
    >
      <summary data-widest={isWidest || undefined}>
        <span className={styles.said} data-whole={whole || undefined}>
          <b>{head}</b>
          {rest}
          {more > 0 && (
            <button
              type="button"
              onClick={(event) => {
                event.preventDefault();
                setWhole(true);
              }}
            >
              {formatCount(more)} more characters
            </button>
          )}
        </span>
        <RewardDots
          rewards={node.samples.slice(0, DOTS).map((member) => tree.samples[member]?.reward ?? null)}
          scale={scale}
        />
        <span className={styles.count}>
          {formatCount(node.samples.length)} of {formatCount(tree.samples.length)}
        </span>
        <b className={styles.mean} style={{ color: colourOf(scale, node.reward_mean, "ink") }} title="mean reward">
          {node.reward_mean === null ? "–" : formatReward(node.reward_mean)}
        </b>
      </summary>
      {isWidest && (
        <p className={styles.parts}>
          rewards diverge most here: {formatReward(node.parting)} between the best and the worst branch
        </p>
      )}
      {isOpen && (
        <>
          {leaves.map((member) => (
            <Leaf key={member} member={member} context={context} />
          ))}
          {leaves.length < node.ended.length && (
            <Button quiet onClick={() => setAll(true)}>
              {plural(node.ended.length - leaves.length, "other")} that end here
            </Button>
          )}
          {branches.shown.map((child) => (
            <Node key={child} place={child} context={context} />
          ))}
          {branches.others > 0 && (
            <Button quiet onClick={() => setAsked(asked + BRANCHES)}>
              {branches.others === 1 ? "1 other branch" : `${formatCount(branches.others)} other branches`}
            </Button>
          )}
        </>
      )}
    </details>
  );
}

function Leaf({ member, context: { tree, scale, signed, a, b, onPick } }: { member: number; context: Context }) {
  const sample = tree.samples[member];
  if (!sample) return null;
  const { address, reward, advantage, words, tokens, status, discard_reason } = sample;
  const side = address === a ? "a" : address === b ? "b" : null;
  return (
    <div className={styles.leaf} data-side={side ?? undefined}>
      <button
        type="button"
        className={styles.pick}
        aria-pressed={side !== null}
        aria-label={`Pick ${address}`}
        title="Pick it for a diff (Space)"
        onClick={() => onPick(address)}
        onKeyDown={(event) => {
          // Space picks, Enter opens.
          if (event.key !== "Enter") return;
          event.preventDefault();
          const to = openSample(address);
          if (to) go(to);
        }}
      >
        {side ? <SideMark side={side} /> : <span className={styles.none} />}
      </button>
      <InnerLink to={openSample(address) ?? {}}>{address}</InnerLink>
      <span className={styles.answer}>
        <Answered answer={sample.answer} golden={sample.golden} />
        {status !== null && status !== "completed" && <Badge tone="warn">{status}</Badge>}
      </span>
      {discard_reason && <small>discarded: {discard_reason}</small>}
      <span>{tokens === null ? plural(words, "word") : `${formatCount(tokens)} tok`}</span>
      {tree.samples.some((each) => each.advantage !== null) && (
        <span className={styles.signed} style={{ color: colourOf(signed, advantage, "ink") }} title="advantage">
          {formatSigned(advantage)}
        </span>
      )}
      <b style={{ color: colourOf(scale, reward, "ink") }} title="reward">
        {formatReward(reward)}
      </b>
    </div>
  );
}
