/** The responses of one group as a tree: what they share stands once, and where they part is marked. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { groupTreeQuery } from "../api/insights";
import type { GroupTree, RunInfo, TreeNode } from "../api/types";
import { formatCount, formatReward, plural } from "../lib/numbers";
import { parseAddress } from "../state/url";
import { go, hrefFor, useView } from "../state/view";
import { Button } from "../ui/Button";
import { Empty, Failure, Skeleton } from "../ui/States";
import styles from "./GroupTreeView.module.css";
import page from "./InsightsPage.module.css";

/** Characters of a stretch that are shown at its start and end; the rest is unfolded by a click. */
const START = 280;
const END = 120;

export function GroupTreeView({ run }: { run: RunInfo }) {
  const { other } = useView();
  const address = other.address ?? "";
  const query = useQuery({ ...groupTreeQuery(run.id, address), enabled: address !== "" });
  const [typed, setTyped] = useState(address);
  return (
    <>
      <form
        className={page.bar}
        aria-label="Group to show"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          go({ other: { tab: "group", address: typed.trim() } });
        }}
      >
        <label className={page.filter}>
          <input
            aria-label="Address of a sample of the group"
            placeholder="train/12/3"
            value={typed}
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <Button primary type="submit">
          Show its group
        </Button>
      </form>
      {address === "" ? (
        <Empty icon="columns" title="Which group?">
          <p>
            Give the address of one of its samples. What all its responses share is shown once, down to where they part.
          </p>
        </Empty>
      ) : query.error ? (
        <Failure error={query.error} />
      ) : !query.data || query.isFetching ? (
        <Skeleton lines={10} label="Reading the group" />
      ) : (
        <div className={page.reading}>
          <p className={page.say}>
            {query.data.samples.length} responses of group {String(query.data.group ?? "–")}, {query.data.split} step{" "}
            {query.data.step}
            {query.data.parts_most === null && ": no fork has rewards that part"}
          </p>
          {query.data.nodes.length > 0 && <Node tree={query.data} place={0} />}
        </div>
      )}
    </>
  );
}

function Node({ tree, place }: { tree: GroupTree; place: number }) {
  const node = tree.nodes[place] as TreeNode;
  const isFork = node.children.length + node.ended.length > 1;
  const parts = tree.parts_most === place;
  return (
    <div className={styles.node}>
      <Stretch node={node} tree={tree} />
      {parts && (
        <p className={styles.parts}>
          here rewards part most: {formatReward(node.parting)} between the best and the worst way on
        </p>
      )}
      {isFork || node.children.length > 0 ? (
        <ul className={styles.ways}>
          {node.children.map((child) => (
            <li key={child}>
              <Node tree={tree} place={child} />
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function Stretch({ node, tree }: { node: TreeNode; tree: GroupTree }) {
  const [open, setOpen] = useState(false);
  const characters = [...node.text];
  const isLong = characters.length > START + END + 40;
  return (
    <section>
      <p className={styles.head}>
        <span>{node.samples.length === 1 ? "1 sample" : `${node.samples.length} samples`}</span>
        <b>{node.reward_mean === null ? "no reward" : `mean reward ${formatReward(node.reward_mean)}`}</b>
        <span className={page.faint}>{plural(node.words, "word")}</span>
        {node.samples.length <= 2 && node.samples.map((member) => <Member key={member} tree={tree} member={member} />)}
        {node.samples.length === 2 && <DiffLink tree={tree} samples={node.samples} />}
      </p>
      {node.text !== "" && (
        <div className={page.text}>
          {isLong && !open ? (
            <>
              {characters.slice(0, START).join("")}
              <Button quiet onClick={() => setOpen(true)}>
                … {formatCount(characters.length - START - END)} characters …
              </Button>
              {characters.slice(-END).join("")}
            </>
          ) : (
            node.text
          )}
        </div>
      )}
      {node.ended.length > 0 && node.children.length > 0 && (
        <p className={styles.head}>
          <span className={page.faint}>ends here:</span>
          {node.ended.map((member) => (
            <Member key={member} tree={tree} member={member} />
          ))}
        </p>
      )}
    </section>
  );
}

function Member({ tree, member }: { tree: GroupTree; member: number }) {
  const sample = tree.samples[member];
  const place = sample && parseAddress(sample.address);
  if (!sample || !place) return null;
  const target = { page: place.split.startsWith("eval/") ? ("evals" as const) : ("rollouts" as const), ...place };
  return (
    <a className={styles.member} href={hrefFor(target)}>
      {sample.address}
    </a>
  );
}

function DiffLink({ tree, samples }: { tree: GroupTree; samples: readonly number[] }) {
  const [a, b] = samples.map((member) => tree.samples[member]?.address ?? "");
  return (
    <a className={styles.member} href={hrefFor({ other: { tab: "diff", a: a ?? "", b: b ?? "" } })}>
      diff of the two
    </a>
  );
}
