import { Suspense } from "react";
import styles from "./App.module.css";
import { Header } from "./Header";
import { PAGE_COMPONENTS } from "./pages";
import { useView } from "./view";

export function App() {
  const { page } = useView();
  const Page = PAGE_COMPONENTS[page];
  return (
    <div className={styles.app}>
      <Header />
      <main className={styles.main}>
        <Suspense fallback={null}>
          <Page />
        </Suspense>
      </main>
    </div>
  );
}
