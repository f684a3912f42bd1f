import type { ReactNode } from "react";
import type { Sample } from "../../api/types";
import { Icon } from "../../ui/Icon";
import { RichText } from "../text/RichText";
import type { RenderSettings } from "../text/renderSettings";
import styles from "./Golden.module.css";
import { modelAnswer, sameAnswer } from "./modelAnswer";

/** Reference answers, and what the model answered. */
export function Golden({ sample, render }: { sample: Sample; render: RenderSettings }) {
  const golden = Object.entries(sample.golden_answers);
  if (golden.length === 0) return null;
  const answered = modelAnswer(sample.messages);
  const isSame = answered !== null && golden.some(([, text]) => sameAnswer(text, answered));
  const short = golden.filter(([, text]) => isShort(text));
  const long = golden.filter(([, text]) => !isShort(text));
  return (
    <section className={styles.golden} aria-label="Golden answers">
      <div className={styles.line}>
        {short.map(([key, text]) => (
          <Answer key={key} label={<b data-find="off">{goldenName(key)}</b>} text={text} render={render} />
        ))}
        {answered !== null && (
          <Answer label={<span data-find="off">model answered</span>} text={answered} render={render}>
            {isSame && (
              <span className={styles.same} title="The same text, spaces aside">
                <Icon name="check" size={12} />
                <span className="visually-hidden">the same text</span>
              </span>
            )}
          </Answer>
        )}
      </div>
      {long.map(([key, text]) => (
        <details key={key} className={styles.long}>
          <summary>
            <b data-find="off">{goldenName(key)}</b>
            <span data-find="off">{text.replaceAll(/\s+/g, " ").slice(0, 160)}</span>
          </summary>
          <div className={styles.text}>
            <RichText text={text} render={render} />
          </div>
        </details>
      ))}
    </section>
  );
}

const isShort = (text: string): boolean => text.length <= 90 && !text.includes("\n");

/** Writers call the answer many things; what is not the answer itself keeps its name. */
function goldenName(key: string): string {
  const isAnswer = /^((golden|reference|expected|correct)(_answer)?|answer|label|target|ground_truth)$/i.test(key);
  return isAnswer ? "Golden answer" : `Golden · ${key}`;
}

function Answer({
  label,
  text,
  render,
  children,
}: {
  label: ReactNode;
  text: string;
  render: RenderSettings;
  children?: ReactNode;
}) {
  // Short answers read as a formula when they look like one.
  const isFormula = render.latex && text.length < 200 && /\\[a-z]+|[\^_]\{/i.test(text) && !/\$|\\\(|\\\[/.test(text);
  return (
    <div className={styles.answer}>
      {label}
      <div className={styles.text}>
        <RichText text={isFormula ? `$${text.trim()}$` : text} render={render} />
      </div>
      {children}
    </div>
  );
}
