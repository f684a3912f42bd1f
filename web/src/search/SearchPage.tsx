/** Search over every sample of the run, whatever its step. */
import { type FormEvent, useEffect, useMemo, useState } from "react";
import type { Hit, RunInfo } from "../api/types";
import { formatCount, formatSeconds, plural } from "../lib/numbers";
import { snippetParts } from "../lib/snippet";
import { stepTest, withCondition } from "../state/conditions";
import { setTrail } from "../state/searchTrail";
import { pageOfSplit, parseAddress } from "../state/url";
import { currentView, go, hrefFor, useView } from "../state/view";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuSwitch } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";
import { Empty, Failure } from "../ui/States";
import { FilterTextBox, TextBox } from "../ui/TextBox";
import { VirtualRows } from "../ui/VirtualRows";
import { FilteredSamples } from "./FilteredSamples";
import { FoundFacts } from "./FoundFacts";
import { HitsPerStep } from "./HitsPerStep";
import styles from "./SearchPage.module.css";
import { type Search, type SearchFor, useSearch } from "./useSearch";

const LIMIT = 1000;
const MAX_LIMIT = 10_000;
const ROW = 56;

export default function SearchPage({ run }: { run: RunInfo }) {
  const { other, where } = useView();
  const limit = other.limit === String(MAX_LIMIT) ? MAX_LIMIT : LIMIT;
  const query = useMemo((): SearchFor | null => {
    if (!other.q) return null;
    return {
      run: run.id,
      text: other.q,
      regex: other.regex === "1",
      matchCase: other.case === "1",
      fields: fieldsOf(other.in),
      where,
      limit,
    };
  }, [run.id, other.q, other.regex, other.case, other.in, where, limit]);
  const search = useSearch(query);
  return (
    <section className={styles.page} aria-label="Search">
      <h1 className="visually-hidden">Search all rollouts</h1>
      <SearchForm key={`${other.q ?? ""} ${where}`} />
      {query ? (
        <Results query={query} search={search} />
      ) : where ? (
        <FilteredSamples run={run.id} where={where} />
      ) : (
        <Empty icon="search" title="Search all rollouts">
          Searches every prompt and response of this run, as a reader sees them. A filter narrows the samples that are
          searched; on its own it finds every sample that matches.
        </Empty>
      )}
    </section>
  );
}

/** The texts of a sample that can be searched, as the server and the filter language name them. */
const FIELDS = { prompt: "Prompts", response: "Responses", golden: "Golden answers" } as const;

function fieldsOf(text: string | undefined): string[] {
  return (text ?? "").split(",").filter((name) => name in FIELDS);
}

/** What is asked is in the URL once it is asked: a link runs the same search. */
function SearchForm() {
  const { other, where } = useView();
  const [text, setText] = useState(other.q ?? "");
  const [filter, setFilter] = useState(where);
  const regex = other.regex === "1";
  const matchCase = other.case === "1";
  const fields = fieldsOf(other.in);
  const ask = (change: { where?: string; regex?: boolean; matchCase?: boolean; fields?: readonly string[] }) => {
    const next = { where: filter.trim(), regex, matchCase, fields, ...change };
    go({
      where: next.where,
      other: {
        ...(text === "" ? {} : { q: text }),
        ...(next.regex ? { regex: "1" } : {}),
        ...(next.matchCase ? { case: "1" } : {}),
        ...(next.fields.length > 0 ? { in: next.fields.join(",") } : {}),
      },
    });
  };
  return (
    <form
      className={styles.form}
      aria-label="Search all rollouts"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        ask({});
      }}
    >
      <TextBox
        before={<Icon name="search" size={13} />}
        // The page is for typing into this box.
        autoFocus={text === ""}
        type="search"
        placeholder={regex ? "Regular expression" : "Text"}
        aria-label={regex ? "Regular expression to find" : "Text to find"}
        value={text}
        onType={setText}
      />
      <FilterTextBox
        label="Only in samples that match this filter"
        example="reward < 0.5 and env = &quot;math&quot;"
        value={filter}
        onType={setFilter}
        onClear={() => ask({ where: "" })}
      />
      <Button on={regex} onClick={() => ask({ regex: !regex })} title="Read the text as a regular expression (RE2)">
        .* Regex
      </Button>
      <Button on={matchCase} onClick={() => ask({ matchCase: !matchCase })} title="Upper and lower case differ">
        Aa Match case
      </Button>
      <Popover
        label="Where to look"
        align="end"
        button={{
          children:
            fields.length === 0 ? "All text" : fields.map((name) => FIELDS[name as keyof typeof FIELDS]).join(", "),
          opens: true,
          on: fields.length > 0,
        }}
      >
        {() =>
          Object.entries(FIELDS).map(([name, title]) => (
            <MenuSwitch
              key={name}
              checked={fields.includes(name)}
              onChange={(on) => ask({ fields: on ? [...fields, name] : fields.filter((field) => field !== name) })}
            >
              {title}
            </MenuSwitch>
          ))
        }
      </Popover>
      <Button primary type="submit">
        Search
      </Button>
    </form>
  );
}

function Results({ query, search }: { query: SearchFor; search: Search & { readonly stop: () => void } }) {
  const { hits, error, running, stop, memory } = search;
  const [opened, setOpened] = useState<string | null>(null);
  const [show, setShow] = useState<{ place: number } | null>(null);
  useEffect(() => setOpened(sessionStorage.getItem(OPENED)), []);
  if (error !== null && hits.length === 0) return <Failure error={error} />;
  return (
    <>
      <div className={styles.status} role="status">
        <span>{statusOf(search, query.limit)}</span>
        {running && <Button onClick={stop}>Stop</Button>}
        {!running && search.end?.reason === "limit" && query.limit < MAX_LIMIT && <MoreButton />}
      </div>
      {(running || hits.length > 1) && (
        <HitsPerStep
          hits={hits}
          counts={search.end?.counts ?? null}
          isSearching={running}
          onPlace={(place) => setShow({ place })}
          onSteps={(first, last) => go({ where: withCondition(currentView().where, "step", stepTest(first, last)) })}
        />
      )}
      {!running && hits.length === 0 ? (
        <Empty icon="search" title={`Nothing matches “${query.text}”`}>
          {query.where ? "Among the samples that match the filter." : "In any sample of this run."}
          {query.matchCase && " Upper and lower case were told apart."}
        </Empty>
      ) : (
        <VirtualRows count={hits.length} rowHeight={ROW} label="Matches" memory={memory} show={show}>
          {(place) => {
            const hit = hits[place] as Hit;
            const id = `${hit.address} ${hit.field} ${hit.start}`;
            return (
              <HitRow
                run={query.run}
                hit={hit}
                opened={opened === id}
                onOpen={() => {
                  sessionStorage.setItem(OPENED, id);
                  setTrail(
                    query.run,
                    hits.map((each) => ({ address: each.address, find: snippetParts(each)[1] })),
                  );
                }}
              />
            );
          }}
        </VirtualRows>
      )}
    </>
  );
}

/** The hit that was opened last, marked when one comes back. */
const OPENED = "rollscope.search-opened";

function MoreButton() {
  const { other } = useView();
  return (
    <Button onClick={() => go({ other: { ...other, limit: String(MAX_LIMIT) } }, { replace: true })}>
      Find up to {formatCount(MAX_LIMIT)}
    </Button>
  );
}

function statusOf({ hits, end, error, running }: Search, limit: number): string {
  const found = foundText(hits);
  if (running && hits.length >= limit) return `the first ${found}; counting the others…`;
  if (running) return hits.length === 0 ? "Searching…" : `${found} so far…`;
  if (error !== null) return `${found}, then the search broke off: ${error instanceof Error ? error.message : error}`;
  if (!end) return `${found}; stopped before the end`;
  const took = `in ${formatSeconds(end.seconds)}`;
  switch (end.reason) {
    case "complete":
      return `${found} in the whole run, ${took}`;
    case "limit":
      return end.counts ? `the first ${found} of ${countsText(end.counts)}, ${took}` : `the first ${found} ${took}`;
    case "time":
      return `${found}; stopped at the time limit of ${formatSeconds(end.limit ?? end.seconds)}`;
    case "error":
      return `${found}, then the search broke off: ${end.detail}`;
  }
}

/** A sample has a hit in each of its texts that match: both are counted, and called what they are. */
function foundText(hits: readonly Hit[]): string {
  return countsText({ hits: hits.length, samples: new Set(hits.map(({ address }) => address)).size });
}

function countsText({ hits, samples }: { hits: number; samples: number }): string {
  return samples === hits
    ? plural(samples, "sample")
    : `${plural(hits, "match", "matches")} in ${plural(samples, "sample")}`;
}

interface HitRowProps {
  run: string;
  hit: Hit;
  opened: boolean;
  onOpen: () => void;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

function HitRow({ run, hit, opened, onOpen }: HitRowProps) {
  const place = parseAddress(hit.address);
  const [before, found, after] = snippetParts(hit);
  const target = place && {
    page: pageOfSplit(place.split),
    ...place,
    where: "",
    find: found,
  };
  return (
    <a
      className={styles.hit}
      data-opened={opened || undefined}
      href={target ? hrefFor(target) : undefined}
      onClick={(event) => {
        if (!target || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen();
        go(target);
      }}
    >
      <FoundFacts
        run={run}
        address={hit.address}
        field={hit.field}
        env={hit.env}
        reward={hit.reward}
        discardReason={hit.discard_reason}
      />
      <span className={styles.snippet}>
        {hit.start > hit.snippet_start && "…"}
        <span className={styles.before}>
          <span>{oneLine(before)}</span>
        </span>
        <mark>{found}</mark>
        <span className={styles.after}>{oneLine(after)}</span>
      </span>
    </a>
  );
}
