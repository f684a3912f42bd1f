/** One prompt over all steps of all open runs: strips of dots, mean and pass rate; any two samples against each other. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useRun } from "../../api/hooks";
import { promptQuery } from "../../api/insights";
import type { PromptOverSteps, PromptSample, PromptStrip, RunDetails, RunInfo } from "../../api/types";
import { formatCount, formatPercent, formatReward, plural } from "../../lib/numbers";
import { colourOf, type Scale, scaleFor } from "../../reading/outcome/colourScale";
import { useView } from "../../state/view";
import { Empty, Failure, Skeleton } from "../../ui/States";
import page from "../InsightsPage.module.css";
import { AddressForm } from "../parts/AddressForm";
import { InnerLink } from "../parts/InnerLink";
import { openAddress, openSample } from "../parts/openSample";
import { SideMark } from "../parts/SideMark";
import styles from "./PromptView.module.css";

export function PromptView({ run }: { run: RunInfo }) {
  const view = useView();
  const address = view.other.address ?? openAddress(run, view);
  const { data, error, isFetching } = useQuery({ ...promptQuery(run.id, address), enabled: address !== "" });
  const details = useRun(run.id).data;
  return (
    <>
      <AddressForm
        key={address}
        run={run.id}
        tab="prompt"
        address={address}
        label="Prompt to follow"
        asks="Address of a sample with the prompt"
        submit="Follow its prompt"
      />
      {address === "" ? (
        <Empty icon="columns" title="Which prompt?">
          <p>Give the address of a sample that answers it, or open “This prompt over the steps” below any sample.</p>
        </Empty>
      ) : error ? (
        <Failure error={error} />
      ) : !data || isFetching ? (
        <Skeleton lines={8} label="Looking for the prompt" />
      ) : (
        <Strips answer={data} details={details} run={run} />
      )}
    </>
  );
}

interface Picked {
  run: string;
  address: string;
}

function Strips({ answer, details, run }: { answer: PromptOverSteps; details: RunDetails | undefined; run: RunInfo }) {
  const { prompt, env, strips, runs, rule, notes } = answer;
  const known = strips.flatMap(({ steps }) => steps.flatMap(({ samples }) => samples.map(({ reward }) => reward)));
  const rewards = known.filter((reward): reward is number => reward !== null);
  const seen = rewards.length ? ([Math.min(...rewards), Math.max(...rewards)] as const) : undefined;
  const scale = scaleFor("reward", env, details?.ranges ?? {}, { reward: seen });
  const [picked, setPicked] = useState<readonly Picked[]>([]);
  const pick = (one: Picked): void => setPicked((before) => [...before, one].slice(-2));
  const [a, b] = picked;
  return (
    <div className={page.reading}>
      <p className={styles.prompt}>{prompt ?? "The prompt was not recorded."}</p>
      <p className={page.say}>
        {env && <>environment {env} · </>}
        {plural(
          strips.reduce((sum, strip) => sum + strip.samples, 0),
          "sample",
        )}{" "}
        in {plural(strips.length, "strip")} of {plural(runs, "run")}. {notes.join(" ")} A dot opens its sample; with
        Shift (or <kbd>d</kbd>) it is taken for a diff.
      </p>
      <p className={styles.picked} role="status">
        <SideMark side="a" /> {a ? a.address : "none"} <SideMark side="b" /> {b ? b.address : "none"}
        {a && b && (
          <InnerLink
            className={styles.diff}
            to={{
              run: a.run,
              page: "insights",
              other: { tab: "diff", a: a.address, b: b.address, ...(b.run === a.run ? {} : { against: b.run }) },
            }}
          >
            Diff of the two
          </InnerLink>
        )}
      </p>
      {strips.map((strip) => (
        <Strip
          key={`${strip.run_id} ${strip.split}`}
          strip={strip}
          scale={scale}
          picked={picked}
          onPick={pick}
          isHere={strip.run_id === run.id}
        />
      ))}
      <p className={page.say}>{rule}</p>
    </div>
  );
}

interface StripProps {
  strip: PromptStrip;
  scale: Scale;
  picked: readonly Picked[];
  onPick: (one: Picked) => void;
  isHere: boolean;
}

function Strip({ strip, scale, picked, onPick, isHere }: StripProps) {
  const { run, run_id, split, samples, mean, pass_rate, steps } = strip;
  return (
    <section className={styles.strip} aria-label={`${run} ${split}`}>
      <h2>
        {run} <small>{split}</small> {isHere && <small>this run</small>}
        <span>
          {plural(samples, "sample")} · mean <b>{formatReward(mean)}</b> · pass rate{" "}
          <b>{pass_rate === null ? "–" : formatPercent(pass_rate)}</b>
        </span>
      </h2>
      <ol className={styles.steps}>
        {steps.map(({ step, mean, pass_rate, samples: its }) => (
          <li
            key={step}
            title={`step ${step}: mean ${formatReward(mean)}, pass rate ${pass_rate === null ? "unknown" : formatPercent(pass_rate)}`}
          >
            <b style={{ color: colourOf(scale, mean, "ink") }}>{formatReward(mean)}</b>
            <span className={styles.dots}>
              {its.map((sample) => (
                <Dot key={sample.address} sample={sample} run={run_id} scale={scale} picked={picked} onPick={onPick} />
              ))}
            </span>
            <small>{formatCount(step)}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface DotProps {
  sample: PromptSample;
  run: string;
  scale: Scale;
  picked: readonly Picked[];
  onPick: (one: Picked) => void;
}

function Dot({ sample, run, scale, picked, onPick }: DotProps) {
  const { address, reward, status, discard_reason } = sample;
  const side = picked.findIndex((one) => one.address === address && one.run === run);
  const says = [address, `reward ${formatReward(reward)}`, status, discard_reason && `discarded: ${discard_reason}`];
  return (
    <InnerLink
      to={{ run, ...openSample(address) }}
      className={styles.dot}
      data-side={side < 0 ? undefined : "ab"[side]}
      data-discarded={discard_reason !== null || undefined}
      style={{ background: colourOf(scale, reward) }}
      aria-label={says.filter(Boolean).join(", ")}
      title={says.filter(Boolean).join(" · ")}
      onClickCapture={(event) => {
        if (!event.shiftKey) return;
        event.preventDefault();
        event.stopPropagation();
        onPick({ run, address });
      }}
      onKeyDown={(event) => {
        if (event.key !== "d") return;
        event.preventDefault();
        event.stopPropagation();
        onPick({ run, address });
      }}
    />
  );
}
