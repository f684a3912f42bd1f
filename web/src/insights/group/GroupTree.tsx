/** The responses of one group as a tree: what they share stands once, where they part it forks; any two as a diff. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useSample } from "../../api/hooks";
import { groupTreeQuery } from "../../api/insights";
import type { GroupTree, RunDetails, Sample, TreeNode } from "../../api/types";
import { formatCount, formatReward, formatSigned, plural } from "../../lib/numbers";
import { colourOf, type Scale, scaleFor } from "../../reading/outcome/colourScale";
import { parseAddress } from "../../state/url";
import { useKeys } from "../../state/useKeys";
import { currentView, go, useView } from "../../state/view";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Switch } from "../../ui/menus/Switch";
import { Failure, Skeleton } from "../../ui/States";
import { Answered } from "../parts/Answered";
import { CopyCommand } from "../parts/CopyCommand";
import { RewardDots } from "../parts/RewardDots";
import { SideMark } from "../parts/SideMark";
import styles from "./GroupTree.module.css";
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
import { treePatch, withPicks } from "./treePicks";

interface GroupTreeProps {
  run: string;
  details: RunDetails | null;
  /** The sample that is open: its group is shown. */
  address: string;
  /** Buttons that lead to the groups before and after. */
  moves: ReactNode;
}

export default function GroupTreePane({ run, details, address, moves }: GroupTreeProps) {
  // Another sample of the same group changes nothing of the tree, nor what is folded of it.
  const [anchor, setAnchor] = useState(address);
  const { data, error, isPlaceholderData } = useQuery({
    ...groupTreeQuery(run, anchor),
    placeholderData: keepPreviousData,
  });
  const isHere = anchor === address || data?.samples.some((sample) => sample.address === address);
  if (!isHere && (data || error)) setAnchor(address);
  return (
    <section className={styles.pane} aria-label="Group as a tree" aria-busy={isPlaceholderData}>
      <div className={styles.top}>
        <Switch label="The group as" choices={CHOICES} chosen="tree" onChoose={leaveTree} />
        {data && (
          <span className={styles.name}>
            Step <b>{data.step}</b> · Group <b>{String(data.group ?? "–")}</b>
          </span>
        )}
        <span className={styles.moves}>
          {moves}
          <CopyCommand run={run} name="group" words={[anchor]} />
        </span>
      </div>
      {error ? (
        <Failure error={error} />
      ) : !data ? (
        <Skeleton lines={10} label="Reading the group" />
      ) : (
        <Shown
          key={data.samples[0]?.address}
          tree={data}
          isSettled={!isPlaceholderData}
          run={run}
          details={details}
          address={address}
        />
      )}
    </section>
  );
}

const CHOICES = [
  { value: "list", label: "List" },
  { value: "tree", label: "Tree" },
] as const;

function leaveTree(): void {
  go(treePatch(false, currentView()));
}

/** Opens a sample beside the tree; two that were picked make room for it. */
function open(address: string): void {
  const place = parseAddress(address);
  if (place) go({ ...treePatch(true, currentView()), step: place.step, sample: place.sample });
}

interface Context {
  tree: GroupTree;
  scale: Scale;
  signed: Scale;
  a: string;
  b: string;
  /** The sample that is open beside the tree. */
  address: string;
  /** Places of samples that are shown however small their branch: those picked, the open one, one past the widest fork. */
  wanted: readonly number[];
  onPick: (address: string) => void;
}

interface ShownProps {
  tree: GroupTree;
  /** Whether it is that of the open sample, and not of the one before. */
  isSettled: boolean;
  run: string;
  details: RunDetails | null;
  address: string;
}

function Shown({ tree, isSettled, run, details, address }: ShownProps) {
  const { other } = useView();
  const { a = "", b = "" } = other;
  const rows = useRef<HTMLDivElement>(null);
  const observed = {
    reward: reach(tree.samples.map(({ reward }) => reward)),
    advantage: reach(tree.samples.map(({ advantage }) => advantage)),
  };
  // All answer one prompt, in one environment: its range is the scale, as everywhere.
  const { data: first } = useSample(run, tree.samples[0]?.address ?? null);
  const scaleOf = (field: string) => scaleFor(field, first?.env ?? null, details?.ranges ?? {}, observed);
  const scale = scaleOf("reward");
  const show = (picked: { a: string; b: string }): void =>
    go({ other: withPicks(other, picked.a, picked.b) }, { replace: true });
  // What was picked in another group is of no use here.
  const isStale =
    isSettled && [a, b].some((picked) => picked !== "" && !tree.samples.some(({ address }) => address === picked));
  useEffect(() => {
    if (isStale) go({ other: withPicks(currentView().other, "", "") }, { replace: true });
  }, [isStale]);
  const pair = widestPair(tree);
  const toWidest = (): void => {
    const fork = rows.current?.querySelector<HTMLElement>("[data-widest]");
    fork?.scrollIntoView({ block: "center" });
    fork?.focus();
  };
  useKeys(a && b ? {} : { "next-mark": toWidest, "previous-mark": toWidest });
  const widest = tree.parts_most === null ? null : tree.nodes[tree.parts_most];
  const wanted = tree.samples.flatMap((sample, at) => ([a, b, address].includes(sample.address) ? [at] : []));
  if (widest?.samples[0] !== undefined) wanted.push(widest.samples[0]);
  const onPick = (picked: string): void => show(pickNext(a, b, picked));
  const context = { tree, scale, signed: scaleOf("advantage"), a, b, address, wanted, onPick };
  return (
    <>
      <div className={styles.about}>
        {first && <Asked sample={first} />}
        <p>
          {plural(tree.samples.length, "response")} · {plural(forkCount(tree), "fork")}
          {widest ? (
            <Button quiet onClick={toWidest}>
              widest fork: {formatReward(widest.parting)} apart <kbd>.</kbd>
            </Button>
          ) : (
            " · rewards do not diverge at any fork"
          )}
          {pair && !(a && b) && (
            <Button quiet onClick={() => show(pair)}>
              Both sides of it
            </Button>
          )}
        </p>
      </div>
      <div ref={rows} className={styles.tree}>
        {tree.nodes.length > 0 && <Node place={0} context={context} />}
      </div>
      <p className={styles.keys}>
        <span>
          <kbd>Space</kbd> picks A, then B
        </span>
        <span>
          <kbd>Enter</kbd> opens the sample
        </span>
        <span>
          <kbd>t</kbd> back to the list
        </span>
      </p>
    </>
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

function Leaf({ member, context }: { member: number; context: Context }) {
  const { tree, scale, signed, a, b, onPick } = context;
  const sample = tree.samples[member];
  if (!sample) return null;
  const { address, reward, advantage, words, tokens, status, discard_reason } = sample;
  const side = address === a ? "a" : address === b ? "b" : null;
  const isOpen = address === context.address;
  const name = `sample ${parseAddress(address)?.sample ?? address}`;
  return (
    <div className={styles.leaf} data-side={side ?? undefined} data-open={isOpen || undefined}>
      <button
        type="button"
        className={styles.pick}
        aria-pressed={side !== null}
        aria-label={`Pick ${name}`}
        title="Pick it for a diff (Space)"
        onClick={() => onPick(address)}
        onKeyDown={(event) => {
          // Space picks, Enter opens.
          if (event.key !== "Enter") return;
          event.preventDefault();
          open(address);
        }}
      >
        {side ? <SideMark side={side} /> : <span className={styles.none} />}
      </button>
      <button
        type="button"
        className={styles.name}
        aria-current={isOpen ? "true" : undefined}
        title={address}
        onClick={() => open(address)}
      >
        {name}
      </button>
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
