import { type MouseEvent, type RefObject, useEffect, useState } from "react";
import { useRuns } from "../api/hooks";
import { formatCount } from "../lib/numbers";
import { RunPicker } from "../runs/RunPicker";
import { chooseRun } from "../state/selection";
import type { PageName, View } from "../state/url";
import { go, hrefFor, useView, useViewPart } from "../state/view";
import { Icon } from "../ui/Icon";
import { GuessedNotice } from "./GuessedNotice";
import styles from "./Header.module.css";
import { LiveStatus } from "./LiveStatus";
import { TABS } from "./pages/pages";
import { SettingsMenu } from "./SettingsMenu";
import { rememberPlace, tabTarget } from "./tabPlaces";

export function Header({ searchRef, onHelp }: { searchRef: RefObject<HTMLInputElement | null>; onHelp: () => void }) {
  return (
    <header className={styles.header}>
      <a className={styles.logo} href={hrefFor({ page: "rollouts" })} onClick={followed({ page: "rollouts" })}>
        <Logo />
        <span>Rollscope</span>
      </a>
      <RunPicker />
      <Tabs />
      <span className={styles.space} />
      {/* What comes, goes and changes its width stands beside the empty space: nothing else moves with it. */}
      <GuessedNotice />
      <LiveStatus />
      <SearchBox inputRef={searchRef} />
      <SettingsMenu onHelp={onHelp} />
    </header>
  );
}

/** Links to the same view on other pages. */
function Tabs() {
  const view = useView();
  useEffect(() => rememberPlace(view), [view]);
  const { data: runs } = useRuns();
  const run = runs ? chooseRun(runs, view.run) : null;
  const discarded = run?.splits.reduce((sum, split) => sum + split.discarded, 0) ?? 0;
  const isReading = run?.progress?.done === false;
  return (
    <nav className={styles.tabs} aria-label="Pages">
      {TABS.map(({ page, label }) => (
        <a
          key={page}
          href={hrefFor(tabTarget(page, view), view)}
          aria-current={view.page === page ? "page" : undefined}
          onClick={followed(tabTarget(page, view))}
        >
          {label}
          {page === "discarded" && (discarded > 0 || isReading) && (
            <small> {discarded > 0 && formatCount(discarded)}</small>
          )}
        </a>
      ))}
    </nav>
  );
}

/** A plain click stays on the page; with a modifier the browser opens the link as it does any other. */
function followed(patch: Partial<View>): (event: MouseEvent) => void {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    go(patch);
  };
}

function Logo() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6.4" fill="none" stroke="var(--accent)" strokeWidth="1.8" />
      <circle cx="8" cy="8" r="2.9" fill="var(--accent)" />
    </svg>
  );
}

/** Search over the whole run: Enter opens the search page. */
function SearchBox({ inputRef }: { inputRef: RefObject<HTMLInputElement | null> }) {
  const page = useViewPart("page");
  const other = useViewPart("other");
  const asked = page === "search" ? (other.q ?? "") : "";
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  return (
    <search className={styles.search}>
      <Icon name="search" size={13} />
      <input
        ref={inputRef}
        type="search"
        aria-label="Search all rollouts"
        placeholder="Search all rollouts"
        value={text}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && text.trim())
            go({ page: "search", other: { ...searchOptions(page, other), q: text } });
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <kbd>Ctrl K</kbd>
    </search>
  );
}

/** On the search page, a new text keeps its switches (regular expression, case). */
function searchOptions(page: PageName, other: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return page === "search" ? other : {};
}
