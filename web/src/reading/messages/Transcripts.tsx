import type { Sample } from "../../api/types";
import { plural } from "../../lib/numbers";
import { RichText } from "../text/RichText";
import { ScrollBox } from "../text/ScrollBox";
import { messageTitle } from "./messageTitles";
import type { PartContext } from "./PartView";
import { Section } from "./Section";
import styles from "./Transcripts.module.css";

/** Conversations of the group that could not be joined to one sample with certainty: shown, and said to be so. */
export function Transcripts({ sample, context }: { sample: Sample; context: PartContext }) {
  return sample.unmatched.map(({ title, messages = [] }, at) => (
    <Section
      key={at}
      id={`unmatched-${at}`}
      title={title || "Transcript"}
      facts={`of this group, sample unknown · ${plural(messages.length, "message")}`}
      folds={context.folds}
      open={!sample.messages.some(({ role }) => role === "assistant")}
    >
      <ScrollBox of={`${sample.address} unmatched ${at}`}>
        {messages.map((message, index) => (
          <div key={index} className={styles.message}>
            <b>{messageTitle(message)}</b>
            <RichText text={(message.parts ?? []).map((part) => part.text ?? "").join("")} render={context.render} />
          </div>
        ))}
      </ScrollBox>
    </Section>
  ));
}
