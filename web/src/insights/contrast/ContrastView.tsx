/** What tells two selections apart: phrases and fields, each a click away from its samples. */
import { useQuery } from "@tanstack/react-query";
import { changesQuery, contrastQuery } from "../../api/insights";
import type { Contrast, ContrastSide, FieldContrast, PhraseContrast, PhraseExample, RunInfo } from "../../api/types";
import { ListFailure } from "../../browsing/list/SampleList";
import { formatCount, formatPercent, formatSigned, formatValue } from "../../lib/numbers";
import { parseStepRange } from "../../state/url";
import { useKeys } from "../../state/useKeys";
import { go, useView } from "../../state/view";
import { Empty, Skeleton } from "../../ui/States";
import styles from "../InsightsPage.module.css";
import { EffectBar } from "../parts/EffectBar";
import { InnerLink } from "../parts/InnerLink";
import { openSample } from "../parts/openSample";
import { SideMark } from "../parts/SideMark";
import { ContrastForm, FIELDS } from "./ContrastForm";
import { PhraseSamples } from "./PhraseSamples";

export function ContrastView({ run }: { run: RunInfo }) {
  const { other } = useView();
  const field = other.field && other.field in FIELDS ? other.field : "response";
  const isChanges = other.preset === "changes";
  const asks = isChanges || other.against !== undefined || Boolean(other.a || other.b);
  const query = isChanges
    ? changesQuery(run.id, field)
    : contrastQuery(run.id, { a: other.a ?? "", b: other.b ?? "", other: other.against ?? null, field });
  const { data, error, isFetching, refetch } = useQuery({ ...query, enabled: asks });
  return (
    <>
      <ContrastForm run={run} field={field} error={error} />
      {!asks ? (
        <Empty icon="contrast" title="What tells two selections apart?">
          <p>
            Choose a pair above, or write two filters. Their texts are read, and the phrases, numbers and categories
            that tell them apart are listed, the most certain first.
          </p>
        </Empty>
      ) : error ? (
        <ListFailure error={error} onRetry={() => void refetch()} />
      ) : !data || isFetching ? (
        <div className={styles.reading}>
          <p className={styles.say} role="status">
            Reading the texts of both sides…
          </p>
          <Skeleton lines={8} label="Comparing" />
        </div>
      ) : (
        <Answer contrast={data} run={run} />
      )}
    </>
  );
}

function Answer({ contrast, run }: { contrast: Contrast; run: RunInfo }) {
  const { other } = useView();
  const { a, b, phrases, fields, notes, looked_at, field } = contrast;
  const most = Math.max(0, ...phrases.map(({ z }) => Math.abs(z)));
  const ordered = [...phrases.filter(({ z }) => z > 0), ...phrases.filter(({ z }) => z <= 0)];
  const chosen = ordered.find(({ text }) => text === other.phrase);
  const choose = (phrase: PhraseContrast | undefined): void => {
    if (phrase) go({ other: { ...other, phrase: phrase.text } }, { replace: true });
  };
  const step = (by: number): void => choose(ordered[chosen ? ordered.indexOf(chosen) + by : 0]);
  useKeys({ "next-sample": () => step(1), "previous-sample": () => step(-1) });
  if (a.samples === 0 || b.samples === 0)
    return (
      <Empty icon="contrast" title={`No sample is in ${a.samples === 0 ? "A" : "B"}`}>
        <p>There is nothing to compare with the other side. Change its filter.</p>
      </Empty>
    );
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
                  <th>more in B · z · more in A</th>
                  <th data-number />
                  <th data-number>A</th>
                  <th data-number>B</th>
                  <th className={styles.exampleHead}>example</th>
                </tr>
              </thead>
              {(["a", "b"] as const).map((side) => {
                const its = ordered.filter(({ z }) => z > 0 === (side === "a"));
                return its.length === 0 ? null : (
                  <tbody key={side}>
                    <tr>
                      <th colSpan={6} className={styles.block}>
                        <SideMark side={side} /> More in {side.toUpperCase()}
                      </th>
                    </tr>
                    {its.map((phrase) => (
                      <PhraseRow
                        key={phrase.text}
                        run={side === "b" && other.against ? other.against : run.id}
                        phrase={phrase}
                        most={most}
                        isChosen={phrase === chosen}
                        onChoose={() => choose(phrase)}
                      />
                    ))}
                  </tbody>
                );
              })}
            </table>
          )}
        </div>
        <div className={styles.column}>
          {chosen && (
            <PhraseSamples key={chosen.text} run={run} phrase={chosen} field={field} against={other.against} />
          )}
          <FieldTable fields={fields} />
        </div>
      </div>
    </>
  );
}

function sideText({ samples, read, where, window }: ContrastSide): string {
  const what = [where ?? "all", window ? stepsText(window) : null].filter(Boolean).join(", ");
  const drawn = read < samples ? `${formatCount(read)} of ${formatCount(samples)} read` : formatCount(samples);
  return `${what} (${drawn}).`;
}

/** "36:40" leaves its end out, as Python does; people read "steps 36–39". */
function stepsText(window: string): string {
  const range = parseStepRange(window);
  if (!range) return `steps ${window}`;
  const { first, last } = range;
  return first === last ? `step ${formatCount(first)}` : `steps ${formatCount(first)}–${formatCount(last)}`;
}

interface PhraseRowProps {
  /** The run that its example is of. */
  run: string;
  phrase: PhraseContrast;
  most: number;
  isChosen: boolean;
  onChoose: () => void;
}

function PhraseRow({ run, phrase, most, isChosen, onChoose }: PhraseRowProps) {
  const { text, z, q, a_share, b_share, example, where } = phrase;
  return (
    <tr
      data-opens
      data-chosen={isChosen || undefined}
      title={`of the phrases ranked this high, chance alone may explain ${formatPercent(q)}`}
      onClick={(event) => {
        if (!(event.target as Element).closest("a")) onChoose();
      }}
    >
      <td className={styles.phrase}>
        <button type="button" aria-pressed={isChosen}>
          {text}
        </button>
      </td>
      <td style={{ minWidth: 110 }}>
        <EffectBar value={z} most={most} />
      </td>
      <td data-number>{formatSigned(z)}</td>
      <td data-number>{formatPercent(a_share)}</td>
      <td data-number>{formatPercent(b_share)}</td>
      <td className={styles.example}>
        {example ? (
          <span>
            <Around example={example} />
            <InnerLink
              to={{ run, ...openSample(example.address), where, steps: "all", list: "samples", find: text }}
              aria-label={`Open ${example.address}`}
            >
              {example.address}
            </InnerLink>
          </span>
        ) : (
          "its file has changed"
        )}
      </td>
    </tr>
  );
}

/** Of the words before: the place of the phrase is in view in a narrow column, too. */
const BEFORE = 24;

/** The words around the phrase; the phrase itself stands in its own column. */
function Around({ example: { before, value, after } }: { example: PhraseExample }) {
  const shown = [...before].slice(-BEFORE).join("");
  return (
    <q>
      {shown.length < before.length ? `…${shown}` : shown}
      <mark title={value}>…</mark>
      {after}
    </q>
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
            <td data-number>{value === null ? formatValue(a) : formatPercent(a)}</td>
            <td data-number>{value === null ? formatValue(b) : formatPercent(b)}</td>
            <td>
              <EffectBar value={effect} most={most} />
            </td>
            <td data-number>{formatSigned(effect)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
