import { memo, type RefObject, useCallback, useMemo } from "react";
import { fieldName, vocabulary } from "../api/fields";
import { plural } from "../lib/numbers";
import { scaleFor } from "../reading/outcome/colourScale";
import { primaryField } from "../state/selection";
import { useSetting } from "../state/settings";
import type { ListKind, View } from "../state/url";
import { go, useViewPart } from "../state/view";
import styles from "./BrowsePane.module.css";
import { filterWords } from "./complete";
import { columnsSetting } from "./dots/dotColumns";
import { dotLayout, shortName } from "./dots/dotLayout";
import { FilterBox } from "./FilterBox";
import { FlatSampleList } from "./list/FlatSampleList";
import { ListFooter } from "./list/ListFooter";
import { ColumnsMenu, SortMenu } from "./list/ListMenus";
import type { Columns } from "./list/ListRow";
import { EmptyList, SampleList } from "./list/SampleList";
import { AcrossControl } from "./steps/AcrossControl";
import { SplitSwitch } from "./steps/SplitSwitch";
import { StepControl } from "./steps/StepControl";
import { acrossPatch, StepsSwitch } from "./steps/StepsSwitch";
import type { Browser } from "./useBrowser";
import type { Reading } from "./useReading";

interface BrowsePaneProps {
  browser: Browser;
  reading: Reading;
  filterRef: RefObject<HTMLTextAreaElement | null>;
}

/** The left pane: which step, which filter and order, and the list. */
export const BrowsePane = memo(function BrowsePane({ browser, reading, filterRef }: BrowsePaneProps) {
  const where = useViewPart("where");
  const sort = useViewPart("sort");
  const kind = useViewPart("list");
  const wantedColumns = useViewPart("columns");
  const across = useViewPart("steps");
  const { run, details, step, steps, split } = browser;
  const { list, groups, order, flat, columns: asked } = reading;
  // A usual column that no sample of this step has would be a row of grey; one that a link names is shown as asked.
  const fields = useMemo(
    () => (wantedColumns || groups.isPending ? asked : asked.filter((field) => groups.observed[field])),
    [asked, wantedColumns, groups],
  );
  const [, setUsualColumns] = useSetting(columnsSetting);
  const all = details?.fields ?? NO_FIELDS;
  const ranges = details?.ranges ?? NO_RANGES;
  const primary = primaryField(step, all);
  const columns: Columns = useMemo(
    () => ({
      isTraining: split === "train",
      primary,
      fields,
      layout: dotLayout(groups.largest),
      scaleOf: (field, env) => scaleFor(field, env, ranges, groups.observed),
    }),
    [split, primary, fields, groups.largest, groups.observed, ranges],
  );
  const words = useMemo(
    () =>
      filterWords(vocabulary(), all, {
        env: details?.envs ?? [],
        discard_reason: [...new Set(steps.flatMap((row) => Object.keys(row.discard_reasons)))],
      }),
    [all, details, steps],
  );
  const here = step?.step ?? null;
  const follow = useCallback((latest: boolean) => go({ step: latest ? "latest" : here }), [here]);
  const isFlat = kind === "samples";
  const { isAcross } = reading;
  const what = browser.query.discarded ? "discarded sample" : "sample";
  // A step that is read to its end is not "being read" because others are.
  const isReading = browser.reading !== null && (isAcross || step?.complete === false);

  return (
    <div className={styles.pane}>
      <div className={styles.top}>
        <SplitSwitch splits={browser.splits} split={split} onSplit={(chosen) => go({ split: chosen })} />
        <StepsSwitch across={isAcross} onAcross={(across) => go(acrossPatch(across, sort))} />
      </div>
      {run && list && across !== null ? (
        <AcrossControl run={run.id} list={list} steps={across} step={reading.spot?.step ?? null} />
      ) : (
        <StepControl
          steps={steps}
          step={step?.step ?? null}
          following={browser.following}
          discarded={browser.query.discarded}
          onStep={openStep}
          onFollow={follow}
        />
      )}
      <div className={styles.filter}>
        <FilterBox
          inputRef={filterRef}
          where={where}
          words={words}
          error={isFlat ? flat.error : groups.error}
          onApply={(wanted) => go({ where: wanted })}
        />
        <SortMenu
          sort={sort}
          fields={all}
          kind={kind}
          isAcross={isAcross}
          onSort={(wanted) => go({ sort: wanted })}
          onKind={(wanted) => go(kindPatch(wanted, sort))}
        />
      </div>
      <div className={styles.head}>
        <span role="status">
          {isFlat
            ? flat.isPending
              ? "…"
              : plural(flat.total, what)
            : groups.isPending
              ? "…"
              : `${plural(groups.totalGroups, "group")} · ${plural(groups.totalSamples, "sample")}`}
          {isReading && <em> · still reading</em>}
        </span>
        <span className={styles.names}>
          {fields.map((field) => (
            <span key={field} style={{ width: columns.layout.width }} title={fieldName(field)}>
              {shortName(field, columns.layout.width)}
            </span>
          ))}
        </span>
        <ColumnsMenu
          fields={all}
          // Of the URL: `reading` comes a frame late, and a tick must not wait for it.
          chosen={wantedColumns?.filter((field) => all.includes(field)) ?? asked}
          onChoose={(chosen) => {
            setUsualColumns(chosen);
            go({ columns: chosen }, { replace: true });
          }}
        />
      </div>
      {run && list && !isFlat && (
        <SampleList
          run={run.id}
          list={list}
          groups={groups}
          order={order}
          columns={columns}
          current={reading.spot}
          place={reading.place}
          onOpen={reading.open}
          onPages={reading.setPages}
          empty={<EmptyList where={where} what={what} across={isAcross} />}
        />
      )}
      {run && list && isFlat && (
        <FlatSampleList
          run={run.id}
          split={list.split}
          samples={flat}
          columns={columns}
          current={reading.address}
          withStep={isAcross}
          position={reading.position}
          onOpen={reading.open}
          onPages={reading.setPages}
          onMove={(by) => {
            const next = by === 1 ? reading.next : reading.previous;
            if (next !== null) reading.open(next);
          }}
          empty={<EmptyList where={where} what={what} across={isAcross} />}
        />
      )}
      {run && list && (
        <ListFooter run={run.id} list={list} kind={kind} onKind={(wanted) => go(kindPatch(wanted, sort))} />
      )}
    </div>
  );
});

/** Only groups have a spread. */
function kindPatch(list: ListKind, sort: string): Partial<View> {
  return { list, ...(sort.endsWith("spread") ? { sort: "index" } : {}) };
}

const openStep = (step: number): void => go({ step });

const NO_FIELDS: readonly string[] = [];
const NO_RANGES = {};
