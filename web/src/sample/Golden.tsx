import type { Sample } from "../api/types";
import { Icon } from "../ui/Icon";
import { modelAnswer, sameAnswer } from "./answer";
import styles from "./Golden.module.css";
import { RichText } from "./RichText";
import type { RenderSettings } from "./renderSettings";

/** Reference answers, and what the model answered. */
export function Golden({ sample, render }: { sample: Sample; render: RenderSettings }) {
  const golden = Object.entries(sample.golden_answers);
  if (golden.length === 0) return null;
  const answered = modelAnswer(sample.messages);
  const isSame = answered !== null && golden.some(([, text]) => sameAnswer(text, answered));
  return (
    <section className={styles.golden} aria-label="Golden answers">
      {golden.map(([key, text]) => (
        <div key={key} className={styles.answer}>
          <b>
            Golden answer
            {golden.length > 1 || !/^(golden|answer|label|target|ground_truth|reference)/i.test(key) ? ` · ${key}` : ""}
          </b>
          <Answer text={text} render={render} />
        </div>
      ))}
      {answered !== null && (
        <div className={styles.answer}>
          <span className={styles.said}>model answered</span>
          <Answer text={answered} render={render} />
          {isSame && (
            <span className={styles.same} title="The same text, spaces aside">
              <Icon name="check" size={12} />
              <span className="visually-hidden">the same text</span>
            </span>
          )}
        </div>
      )}
    </section>
  );
}

/** Short answers read as a formula when they look like one. */
function Answer({ text, render }: { text: string; render: RenderSettings }) {
  const isFormula = render.latex && text.length < 200 && /\\[a-z]+|[\^_]\{/i.test(text) && !/\$|\\\(|\\\[/.test(text);
  return (
    <div className={styles.text}>
      <RichText text={isFormula ? `$${text.trim()}$` : text} render={render} />
    </div>
  );
}
