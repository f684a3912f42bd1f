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
      <Header searchRef={search} onHelp={() => setHelping(true)} />
      <main className={styles.main}>
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
