/** What tells two selections apart: phrases and fields, each a click away from its samples. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useRun, useRuns, useSteps } from "../api/hooks";
import { changesQuery, contrastQuery } from "../api/insights";
import type { Contrast, ContrastSide, FieldContrast, PhraseContrast, RunInfo } from "../api/types";
import { formatCount, formatSigned, formatValue } from "../lib/numbers";
import { chooseSplit } from "../state/selection";
import { go, hrefFor, useView } from "../state/view";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuItem } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Empty, Failure, Skeleton } from "../ui/States";
import { EffectBar } from "./EffectBar";
import styles from "./InsightsPage.module.css";
import { type Preset, presets } from "./presets";

const FIELDS = { response: "responses", prompt: "prompts", golden: "golden answers" } as const;

export function ContrastView({ run }: { run: RunInfo }) {
  const { other } = useView();
  const field = other.field && other.field in FIELDS ? other.field : "response";
  const isChanges = other.preset === "changes";
  const asksRun = other.against !== undefined;
  const asks = isChanges || asksRun || Boolean(other.a || other.b);
  const query = isChanges
    ? changesQuery(run.id, field)
    : contrastQuery(run.id, { a: other.a ?? "", b: other.b ?? "", other: other.against ?? null, field });
  const { data, error, isFetching } = useQuery({ ...query, enabled: asks });
  return (
    <>
      <ContrastForm key={`${other.a ?? ""}\n${other.b ?? ""}`} run={run} field={field} />
      {!asks ? (
        <Empty icon="contrast" title="What tells two selections apart?">
          <p>
            Choose a pair above, or write two filters. Their texts are read, and the phrases, numbers and categories
            that tell them apart are listed, the surest first.
          </p>
        </Empty>
      ) : error ? (
        <Failure error={error} />
      ) : !data || isFetching ? (
        <div className={styles.reading}>
          <p className={styles.say} role="status">
            Reading the texts of both sides…
          </p>
          <Skeleton lines={8} label="Comparing" />
        </div>
      ) : (
        <Answer contrast={data} />
      )}
    </>
  );
}

function ContrastForm({ run, field }: { run: RunInfo; field: string }) {
  const { other } = useView();
  const [a, setA] = useState(other.a ?? "");
  const [b, setB] = useState(other.b ?? "");
  const details = useRun(run.id).data;
  const { data: runs } = useRuns();
  const steps = useSteps(run.id, chooseSplit(run.splits, null)).data?.steps ?? [];
  const known = steps.flatMap(({ reward }) =>
    reward.min !== null && reward.max !== null ? [reward.min, reward.max] : [],
  );
  const seen = known.length > 0 ? ([Math.min(...known), Math.max(...known)] as const) : null;
  const ask = (change: Record<string, string>) =>
    go({ other: { tab: "contrast", ...(field === "response" ? {} : { field }), ...change } });
  const others = (runs ?? []).filter(({ id }) => id !== run.id);
  const filters = { ...(a.trim() ? { a: a.trim() } : {}), ...(b.trim() ? { b: b.trim() } : {}) };
  return (
    <form
      aria-label="Two selections"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        ask({ ...filters, ...(other.against ? { against: other.against } : {}) });
      }}
    >
      <div className={styles.bar}>
        {presets(details, seen).map((preset: Preset) => (
          <Button
            key={preset.name}
            on={other.preset === preset.name}
            onClick={() => ask({ preset: preset.name, a: preset.a, b: preset.b })}
          >
            {preset.label}
          </Button>
        ))}
        <Button on={other.preset === "changes"} onClick={() => ask({ preset: "changes" })}>
          first against last steps
        </Button>
        {others.length > 0 && (
          <Popover
            label="The other run"
            button={{ children: "this run against another", opens: true, on: other.against !== undefined }}
          >
            {(close) =>
              others.map(({ id, name }) => (
                <MenuItem
                  key={id}
                  chosen={other.against === id}
                  onClick={() => {
                    close();
                    ask({ ...filters, against: id });
                  }}
                >
                  {name}
                </MenuItem>
              ))
            }
          </Popover>
        )}
      </div>
      <div className={styles.bar}>
        <FilterOf side="a" value={a} onChange={setA} placeholder="reward >= 0.9" />
        <Button
          aria-label="Exchange A and B"
          icon="refresh"
          onClick={() => {
            setA(b);
            setB(a);
          }}
        />
        <FilterOf side="b" value={b} onChange={setB} placeholder="all others" />
        <Popover label="Whose words" button={{ children: `in ${FIELDS[field as keyof typeof FIELDS]}`, opens: true }}>
          {(close) =>
            Object.entries(FIELDS).map(([name, title]) => (
              <MenuItem
                key={name}
                chosen={name === field}
                onClick={() => {
                  close();
                  go({ other: { ...other, tab: "contrast", field: name } });
                }}
              >
                {title}
              </MenuItem>
            ))
          }
        </Popover>
        <Button primary type="submit">
          Contrast
        </Button>
      </div>
    </form>
  );
}

function FilterOf(props: { side: "a" | "b"; value: string; onChange: (text: string) => void; placeholder: string }) {
  const { side, value, onChange, placeholder } = props;
  return (
    <label className={styles.filter}>
      <SideMark side={side} />
      <input
        placeholder={placeholder}
        aria-label={`Filter of ${side.toUpperCase()}`}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
      <Icon name="filter" size={12} />
    </label>
  );
}

export function SideMark({ side }: { side: "a" | "b" }) {
  return (
    <span className={styles.side} data-side={side}>
      {side.toUpperCase()}
    </span>
  );
}

function Answer({ contrast }: { contrast: Contrast }) {
  const { a, b, phrases, fields, notes, looked_at } = contrast;
  const most = Math.max(0, ...phrases.map(({ z }) => Math.abs(z)));
  return (
    <>
      <p className={styles.say} role="status" title={contrast.method}>
        <SideMark side="a" /> {sideText(a)} <SideMark side="b" /> {sideText(b)} {notes.join(" ")}
      </p>
      <div className={styles.columns}>
        <div className={styles.column}>
          {phrases.length === 0 ? (
            <Empty icon="check" title="No phrase tells them apart">
              <p>{formatCount(looked_at)} phrases were compared; the differences may well be chance.</p>
            </Empty>
          ) : (
            <table className={styles.table} aria-label="Phrases">
              <thead>
                <tr>
                  <th>
                    phrase, {formatCount(phrases.length)} of {formatCount(looked_at)}
                  </th>
                  <th>more in B · more in A</th>
                  <th data-number>z</th>
                  <th data-number>A</th>
                  <th data-number>B</th>
                  <th>example</th>
                </tr>
              </thead>
              <tbody>
                {phrases.map((phrase) => (
                  <PhraseRow key={phrase.text} phrase={phrase} most={most} />
                ))}
              </tbody>
            </table>
          )}
        </div>
        <div className={styles.column}>
          <FieldTable fields={fields} />
        </div>
      </div>
    </>
  );
}

function sideText({ samples, read, where, window }: ContrastSide): string {
  const what = [where ?? "all", window ? `steps ${window}` : null].filter(Boolean).join(", ");
  const drawn = read < samples ? `${formatCount(read)} of ${formatCount(samples)} read` : formatCount(samples);
  return `${what} (${drawn}).`;
}

function PhraseRow({ phrase, most }: { phrase: PhraseContrast; most: number }) {
  const { text, where, z, q, a_share, b_share, example } = phrase;
  // Its samples on Rollouts, with the phrase marked in each.
  const target = { page: "rollouts", steps: "all", list: "samples", where, find: text } as const;
  return (
    <tr data-opens title={`of phrases at least as sure, chance alone may give ${percent(q)}`}>
      <td className={styles.phrase}>
        <a
          href={hrefFor(target)}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            go(target);
          }}
        >
          {text}
        </a>
      </td>
      <td style={{ minWidth: 120 }}>
        <EffectBar value={z} most={most} />
      </td>
      <td data-number>{formatSigned(Number(z.toPrecision(3)))}</td>
      <td data-number>{percent(a_share)}</td>
      <td data-number>{percent(b_share)}</td>
      <td className={styles.faint}>{example?.address ?? "its file has changed"}</td>
    </tr>
  );
}

function FieldTable({ fields }: { fields: readonly FieldContrast[] }) {
  if (fields.length === 0) return <Empty title="No field differs" />;
  // Twice a large effect fills the bar: one field that tells the step must not hide all others.
  const most = Math.min(2, Math.max(0, ...fields.map(({ effect }) => Math.abs(effect))));
  return (
    <table className={styles.table} aria-label="Fields">
      <thead>
        <tr>
          <th>field</th>
          <th data-number>A</th>
          <th data-number>B</th>
          <th title="Difference in standard deviations: 0.2 is small, 0.8 large">effect, std. dev.</th>
          <th data-number />
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, value, a, b, effect }) => (
          <tr key={`${field} ${value}`}>
            <td className={styles.field} title={value === null ? field : `${field} = ${value}`}>
              {value === null ? field : `${field} = ${value}`}
            </td>
            <td data-number>{value === null ? formatValue(a) : percent(a)}</td>
            <td data-number>{value === null ? formatValue(b) : percent(b)}</td>
            <td>
              <EffectBar value={effect} most={most} />
            </td>
            <td data-number>{formatSigned(Number(effect.toPrecision(2)))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0)} %`;
}
