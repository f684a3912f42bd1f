import { useQuery } from "@tanstack/react-query";
import { filteredSamplesQuery } from "../api/hooks";
import type { SampleRow } from "../api/types";
import { formatCount, plural } from "../lib/numbers";
import { parseAddress } from "../state/url";
import { go, hrefFor } from "../state/view";
import { Button } from "../ui/Button";
import { Empty, Failure, Skeleton } from "../ui/States";
import { VirtualRows } from "../ui/VirtualRows";
import { FoundFacts } from "./FoundFacts";
import styles from "./SearchPage.module.css";

const ROW = 56;
const LIMIT = 1000;

/** A filter without a text: every sample of the run that matches it, whatever its split, step or fate. */
export function FilteredSamples({ run, where }: { run: string; where: string }) {
  const { data, error, isPending } = useQuery(filteredSamplesQuery(run, where, LIMIT));
  if (error) return <Failure error={error} />;
  if (isPending || !data) return <Skeleton lines={6} />;
  if (data.total === 0)
    return (
      <Empty icon="filter" title="No sample matches the filter">
        In any step of this run.
      </Empty>
    );
  const across = { page: "rollouts", steps: "all", list: "samples", sort: "-step", where } as const;
  return (
    <>
      <div className={styles.status} role="status">
        <span>
          {plural(data.total, "sample")} in the whole run
          {data.total > data.rows.length && `; the first ${formatCount(data.rows.length)} are listed here`}
        </span>
        <Button onClick={() => go(across)}>Open them in Rollouts</Button>
      </div>
      <VirtualRows count={data.rows.length} rowHeight={ROW} label="Samples">
        {(place) => <FoundSample run={run} row={data.rows[place] as SampleRow} where={where} />}
      </VirtualRows>
    </>
  );
}

function FoundSample({ run, row, where }: { run: string; row: SampleRow; where: string }) {
  const place = parseAddress(row.address);
  const target = place && { page: pageOf(row), ...place, where };
  return (
    <a
      className={styles.hit}
      href={target ? hrefFor(target) : undefined}
      onClick={(event) => {
        if (!target || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(target);
      }}
    >
      <FoundFacts
        run={run}
        address={row.address}
        field={null}
        env={row.env}
        reward={row.reward}
        discardReason={row.discard_reason}
      />
      <span className={styles.snippet}>{row.response_start ?? row.prompt_start}</span>
    </a>
  );
}

function pageOf({ split, discard_reason }: SampleRow): "evals" | "discarded" | "rollouts" {
  if (split.startsWith("eval")) return "evals";
  return discard_reason ? "discarded" : "rollouts";
}
