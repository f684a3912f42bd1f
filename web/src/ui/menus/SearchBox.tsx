import { Icon } from "../Icon";
import styles from "./SearchBox.module.css";

/** A box that narrows what is below it while one types. */
export function SearchBox({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <label className={styles.search}>
      <Icon name="search" size={12} />
      <input
        type="search"
        placeholder={label}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
