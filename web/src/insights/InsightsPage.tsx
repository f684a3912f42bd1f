/** What is worth reading, and what changed: two selections, two runs, the samples of a group against each other. */
import type { ReactNode } from "react";
import type { RunInfo } from "../api/types";
import { useDigits } from "../state/useKeys";
import { go, hrefFor, useViewPart } from "../state/view";
import { CompareRuns } from "./compare/CompareRuns";
import { ContrastView } from "./contrast/ContrastView";
import { FindingsView } from "./findings/FindingsView";
import { DiffView } from "./group/DiffView";
import styles from "./InsightsPage.module.css";
import { PromptView } from "./prompt/PromptView";
import { ScatterView } from "./scatter/ScatterView";
import { TokenStepsView } from "./tokens/TokenStepsView";

const TABS = [
  { name: "findings", label: "Findings", view: (run: RunInfo) => <FindingsView run={run} /> },
  { name: "contrast", label: "Contrast", view: (run: RunInfo) => <ContrastView run={run} /> },
  { name: "scatter", label: "Scatter", view: (run: RunInfo) => <ScatterView run={run} /> },
  { name: "tokens", label: "Tokens", view: (run: RunInfo) => <TokenStepsView run={run} /> },
  { name: "compare", label: "Compare runs", view: (run: RunInfo) => <CompareRuns run={run} /> },
  { name: "prompt", label: "Prompt", view: (run: RunInfo) => <PromptView run={run} /> },
  { name: "diff", label: "Diff", view: (run: RunInfo) => <DiffView run={run} /> },
] as const;

export default function InsightsPage({ run }: { run: RunInfo }) {
  const other = useViewPart("other");
  const tab = TABS.find(({ name }) => name === other.tab) ?? TABS[0];
  useDigits((digit) => {
    const wanted = TABS[digit - 1];
    if (wanted) go({ other: { tab: wanted.name } });
  });
  return (
    <section className={styles.page} aria-label="Insights">
      <h1 className="visually-hidden">Insights</h1>
      <nav className={styles.tabs} aria-label="Insights">
        {TABS.map(({ name, label }) => (
          <TabLink key={name} name={name} on={name === tab.name}>
            {label}
          </TabLink>
        ))}
      </nav>
      {tab.view(run)}
    </section>
  );
}

function TabLink({ name, on, children }: { name: string; on: boolean; children: ReactNode }) {
  const target = { other: { tab: name } };
  return (
    <a
      href={hrefFor(target)}
      aria-current={on ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        go(target);
      }}
    >
      {children}
    </a>
  );
}
