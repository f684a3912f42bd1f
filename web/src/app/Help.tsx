import { INSIGHT_KEYS, KEYS, keyName } from "../state/keys";
import { Dialog } from "../ui/Dialog";
import styles from "./Help.module.css";

/** `?`: every key, from the table that also handles them. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className={styles.columns}>
        {[...KEYS, { title: "On Insights and in a tree", keys: INSIGHT_KEYS }].map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl className={styles.list}>
              {keys.map(({ keys: names, says }) => (
                <div key={says}>
                  <dt>
                    {names.map((name) => (
                      <kbd key={name}>{keyName(name)}</kbd>
                    ))}
                  </dt>
                  <dd>{says}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className={styles.note}>
        Every view is its address: copy the URL and a colleague sees the same. Filters read like{" "}
        <code>reward &lt; 0.2 and status = "truncated"</code>.
      </p>
    </Dialog>
  );
}
