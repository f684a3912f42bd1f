import styles from "./Header.module.css";
import { TABS } from "./pages";
import { go, hrefFor, useView } from "./view";

export function Header() {
  const view = useView();
  return (
    <header className={styles.header}>
      <span className={styles.logo}>◉ Rollscope</span>
      <nav className={styles.tabs} aria-label="Pages">
        {TABS.map(({ page, label }) => (
          <a
            key={page}
            href={hrefFor({ page }, view)}
            aria-current={view.page === page ? "page" : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              go({ page });
            }}
          >
            {label}
          </a>
        ))}
      </nav>
    </header>
  );
}
