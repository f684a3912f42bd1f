import { Suspense, useRef, useState } from "react";
import { useLiveUpdates } from "../api/live";
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
