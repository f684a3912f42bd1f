import { useQuery } from "@tanstack/react-query";
import { fieldName, fieldNamed, fieldsShownIn } from "../api/fields";
import { recordQuery } from "../api/hooks";
import type { Sample } from "../api/types";
import { formatCount, formatSeconds } from "../lib/numbers";
import { Failure, Skeleton } from "../ui/States";
import { Highlighted } from "./markup/CodeBlock";
import type { Folds } from "./messages/folds";
import { Section } from "./messages/Section";
import { Values } from "./outcome/Values";
import { ScrollBox } from "./text/ScrollBox";

/** Every scalar of the sample, and where it lies. */
export function Details({ sample, folds }: { sample: Sample; folds: Folds }) {
  const rows = scalars(sample);
  return (
    <Section
      id="details"
      apart
      title="Sample info"
      facts={sample.address}
      folds={folds}
      open={false}
      copy={() => rows.map(([name, value]) => `${name}\t${value}`).join("\n")}
    >
      <Values label="Sample info" rows={rows} />
    </Section>
  );
}

function scalars(sample: Sample): [string, string][] {
  const rows: [string, string | null][] = [
    ...fieldsShownIn("details").map(({ name, type }): [string, string | null] => [
      fieldName(name),
      shown(sample, name, type),
    ]),
    ...Object.entries(sample.timings).map(([name, seconds]): [string, string | null] => [
      `time · ${name}`,
      seconds === null ? null : formatSeconds(seconds),
    ]),
    ...Object.entries(sample.source).map(([name, value]): [string, string | null] => [
      `source · ${name}`,
      value === null ? null : String(value),
    ]),
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)] as [string, string]]));
}

/** A scalar as text; null where there is nothing to say. The first attempt needs no word. */
function shown(sample: Sample, name: string, type: string): string | null {
  const value = name === "turns" ? sample.turns.length || null : sample[name as keyof Sample];
  if (value === null || value === undefined || value === "" || (name === "attempt" && value === 0)) return null;
  if (Array.isArray(value)) return value.join(", ") || null;
  if (typeof value !== "number") return String(value);
  const counted = type === "integer" && fieldNamed(name)?.kind === "amount";
  return counted ? formatCount(value) : String(value);
}

/** What was guessed, and conversations that could not be joined to one sample. */
export function Notes({ sample, folds }: { sample: Sample; folds: Folds }) {
  if (sample.notes.length === 0) return null;
  return (
    <Section id="notes" title="Notes" facts="what was guessed or could not be known" folds={folds}>
      <ScrollBox of={sample.address}>
        {sample.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </ScrollBox>
    </Section>
  );
}

/** The record on disk, fetched when it is unfolded. */
export function SourceRecord({ run, sample, folds }: { run: string; sample: Sample; folds: Folds }) {
  return (
    <Section
      id="record"
      apart
      title="Source record"
      facts={String(sample.source.file ?? "")}
      folds={folds}
      open={false}
    >
      <ScrollBox of={sample.address}>
        <Record run={run} address={sample.address} />
      </ScrollBox>
    </Section>
  );
}

/** Longer records are in the raw view and on disk; this is for looking at keys. */
const RECORD_CHARS = 200_000;

function Record({ run, address }: { run: string; address: string }) {
  const { data, error } = useQuery(recordQuery(run, address));
  if (error) return <Failure error={error} />;
  if (!data) return <Skeleton lines={4} label="Loading the record" />;
  const text = JSON.stringify(data.record, null, 2) ?? "null";
  return (
    <pre>
      <Highlighted code={text.slice(0, RECORD_CHARS)} language="json" />
      {text.length > RECORD_CHARS &&
        `\n… the first ${formatCount(RECORD_CHARS)} of ${formatCount(text.length)} characters`}
    </pre>
  );
}
