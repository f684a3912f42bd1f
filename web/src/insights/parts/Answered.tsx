import type { GroupMember } from "../../api/types";
import { Icon } from "../../ui/Icon";
import styles from "./Answered.module.css";

const GOLDEN = {
  equal: { icon: "check", says: "the golden answer" },
  absent: { icon: "close", says: "not the golden answer" },
} as const;

/** A final answer as written, and whether it is the golden one, as far as the text says so. */
export function Answered({ answer, golden }: Pick<GroupMember, "answer" | "golden">) {
  if (answer === null) return null;
  // Contained in the text says nothing about the final answer.
  const mark = (golden === "equal" || golden === "absent") && GOLDEN[golden];
  return (
    <span className={styles.answered}>
      <code title={`final answer: ${answer}`}>{answer}</code>
      {mark && (
        <span data-golden={golden} title={mark.says}>
          <Icon name={mark.icon} size={12} />
          <span className="visually-hidden">{mark.says}</span>
        </span>
      )}
    </span>
  );
}
