import { type ReactNode, useRef } from "react";
import type { ViewOptions } from "../charts/series/series";
import { AxisControl, MaxStepControl, SmoothingControl, ZoomControl } from "../charts/ViewControls";
import { formatCount } from "../lib/numbers";
import { MiddleCut } from "../ui/MiddleCut";
import { DashboardMenu } from "./DashboardMenu";
import styles from "./MetricsFrame.module.css";

export interface Anchor {
  readonly id: string;
  readonly title: string;
  readonly count: number;
  /** Groups inside it, for finding one's way in a long section. */
  readonly inner?: readonly { readonly id: string; readonly title: string; readonly count: number }[];
}

interface MetricsFrameProps {
  readonly view: ViewOptions;
  readonly onView: (change: Partial<ViewOptions>) => void;
  /** The sections, as a table of contents. */
  readonly contents: readonly Anchor[];
  /** Above the contents: search, or what edits the dashboard. */
  readonly aside: ReactNode;
  /** In the bar, right of the dashboard's name. */
  readonly status?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the Metrics page: a bar with what holds for all charts, contents on the left, charts that scroll. */
export function MetricsFrame({ view, onView, contents, aside, status, children }: MetricsFrameProps) {
  const scroller = useRef<HTMLElement>(null);
  const jump = (id: string) => {
    scroller.current?.querySelector(`[data-anchor="${CSS.escape(id)}"]`)?.scrollIntoView({ block: "start" });
  };
  return (
    <section className={styles.page} aria-label="Metrics">
      <h1 className="visually-hidden">Metrics</h1>
      <div className={styles.bar} role="toolbar" aria-label="All charts">
        <DashboardMenu />
        {status}
        <span className={styles.space} />
        <ZoomControl />
        <SmoothingControl view={view} onView={onView} />
        <MaxStepControl view={view} onView={onView} />
        <AxisControl view={view} onView={onView} />
      </div>
      <aside className={styles.aside} aria-label="Sections">
        {aside}
        <nav className={styles.contents} aria-label="Sections">
          {contents.map((section) => (
            <div key={section.id}>
              <button type="button" className={styles.entry} onClick={() => jump(section.id)}>
                <span>{section.title}</span>
                <small>{formatCount(section.count)}</small>
              </button>
              {section.inner?.map((group) => (
                <button type="button" key={group.id} className={styles.inner} onClick={() => jump(group.id)}>
                  <MiddleCut text={group.title} />
                  <small>{formatCount(group.count)}</small>
                </button>
              ))}
            </div>
          ))}
        </nav>
      </aside>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable for the keyboard to scroll it. */}
      <section ref={scroller} className={styles.scroller} tabIndex={0} aria-label="Charts">
        {children}
      </section>
    </section>
  );
}
