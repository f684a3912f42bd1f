import { Suspense, useEffect, useRef, useState } from "react";
import { useRuns } from "../api/hooks";
import { useLiveUpdates } from "../api/live";
import { chooseRun } from "../state/selection";
import { titleFor } from "../state/title";
import { useKeys } from "../state/useKeys";
import { useViewPart } from "../state/view";
import styles from "./App.module.css";
import { Crash } from "./Crash";
import { Header } from "./Header";
import { Help } from "./Help";
import { PAGE_COMPONENTS } from "./pages/pages";

export function App() {
  const page = useViewPart("page");
  const [isHelping, setHelping] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  useLiveUpdates();
  useKeys({
    help: () => setHelping(true),
    search: () => {
      search.current?.focus();
      search.current?.select();
    },
  });
  const { data: runs } = useRuns();
  const wanted = useViewPart("run");
  const run = runs ? (chooseRun(runs, wanted)?.name ?? null) : null;
  // A sample, once it is there, adds its own name.
  useEffect(() => {
    document.title = titleFor(page, run);
  }, [page, run]);
  const Page = PAGE_COMPONENTS[page];
  return (
    <div className={styles.app}>
      <button type="button" className={styles.skip} onClick={() => skipTo(main.current)}>
        Skip to the content
      </button>
      <Header searchRef={search} onHelp={() => setHelping(true)} />
      <main ref={main} className={styles.main} tabIndex={-1}>
        <Crash key={page}>
          <Suspense fallback={null}>
            <Page />
          </Suspense>
        </Crash>
      </main>
      {isHelping && <Help onClose={() => setHelping(false)} />}
    </div>
  );
}

/** Past the pages' tabs, and past the list to the text of a sample: what one came for is one key away. */
function skipTo(main: HTMLElement | null): void {
  const text = main?.querySelector<HTMLElement>("article section[tabindex='0']");
  (text ?? main)?.focus();
}
