import styles from "./Icon.module.css";

/** Line icons on a 16-pixel grid, drawn here so that none is loaded from anywhere. */
const PATHS = {
  "chevron-right": "M6 3.5 10.5 8 6 12.5",
  "chevron-left": "M10 3.5 5.5 8 10 12.5",
  "chevron-down": "M3.5 6 8 10.5 12.5 6",
  "chevrons-left": "M8 3.5 3.5 8 8 12.5M12.5 3.5 8 8l4.5 4.5",
  "chevrons-right": "M8 3.5 12.5 8 8 12.5M3.5 3.5 8 8l-4.5 4.5",
  first: "M12 3.5 7.5 8l4.5 4.5M4 3.5v9",
  last: "M4 3.5 8.5 8 4 12.5M12 3.5v9",
  "arrow-up": "M8 13V3M4 7l4-4 4 4",
  "arrow-down": "M8 3v10M4 9l4 4 4-4",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5 6.5 12 13 4.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  filter: "M2 3.5h12L9.5 8.7V13l-3-1.6V8.7Z",
  columns: "M2.5 3h11v10h-11ZM6.2 3v10M9.8 3v10",
  settings:
    "M8 10A2 2 0 1 0 8 6a2 2 0 0 0 0 4ZM6.9 3.5 7.1 1.9H8.9L9.1 3.5 10.4 4.1 11.7 3 13 4.3 11.9 5.6 12.5 6.9 14.1 7.1V8.9L12.5 9.1 11.9 10.4 13 11.7 11.7 13 10.4 11.9 9.1 12.5 8.9 14.1H7.1L6.9 12.5 5.6 11.9 4.3 13 3 11.7 4.1 10.4 3.5 9.1 1.9 8.9V7.1L3.5 6.9 4.1 5.6 3 4.3 4.3 3 5.6 4.1Z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8Z",
  link: "M6.5 9.5l3-3M7 4.5l1.3-1.3a2.9 2.9 0 0 1 4.1 4.1L11 8.7M9 11.5l-1.3 1.3a2.9 2.9 0 0 1-4.1-4.1L5 7.3",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11",
  "panel-left": "M2 3h12v10H2ZM6 3v10",
  "panel-right": "M2 3h12v10H2ZM10 3v10",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  moon: "M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z",
  contrast: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12M8 4.5h3.4M8 7h4.8M8 9.5h4.8M8 12h3",
  help: "M6 6.1a2 2 0 1 1 2.9 1.8c-.6.3-.9.8-.9 1.4M8 11.6v.1M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z",
  "fold-all": "M4 2.5 8 6l4-3.5M4 13.5 8 10l4 3.5",
  "unfold-all": "M4 5.5 8 2l4 3.5M4 10.5 8 14l4-3.5",
  grip: "M6 3.5v.1M10 3.5v.1M6 8v.1M10 8v.1M6 12.5v.1M10 12.5v.1",
  expand: "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9",
  warning: "M8 2.5 14.2 13H1.8ZM8 6.5v3M8 11.3v.1",
  refresh: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.6h-2.6",
  swap: "M2.5 5.5h11M10.5 2.5l3 3-3 3M13.5 10.5h-11M5.5 7.5l-3 3 3 3",
  side: "M2 3h5v10H2ZM9 3h5v10H9Z",
  tree: "M3 8h4M7 3.5h6.5M7 8h6.5M7 12.5h6.5M7 3.5v9",
  scatter: "M2.5 2.5v11h11M6 10v.1M8 6.5v.1M10.5 8.5v.1M12.5 4v.1",
  more: "M3.5 8v.1M8 8v.1M12.5 8v.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
  return (
    <svg className={styles.icon} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
