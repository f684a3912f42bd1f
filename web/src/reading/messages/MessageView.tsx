import { memo } from "react";
import type { Message, Sample, Turn } from "../../api/types";
import { formatReward, formatSeconds, formatValue } from "../../lib/numbers";
import { Badge } from "../../ui/Badge";
import { colourOf, turnScale } from "../outcome/colourScale";
import { Values } from "../outcome/Values";
import { ScrollBox } from "../text/ScrollBox";
import styles from "./MessageView.module.css";
import { messageTitle, tokensText, turnFacts } from "./messageTitles";
import { type PartContext, PartView } from "./PartView";
import { Section } from "./Section";

/** Ends of a turn that say nothing new. */
const ORDINARY_STOPS = new Set(["stop", "eos", "end_turn", "tool_calls", "tool_use", ""]);

interface MessageViewProps {
  sample: Sample;
  message: Message;
  index: number;
  context: PartContext;
}

/** One message: a turn of the model, a tool's answer, a piece of the prompt. */
export const MessageView = memo(function MessageView({ sample, message, index, context }: MessageViewProps) {
  const { turn, isFirstOfTurn } = turnFacts(sample, index);
  const parts = message.parts ?? [];
  const visible = parts.filter((part) => part.type !== "marker" && (part.text ?? "").trim() !== "");
  // The opening of an answer that the prompt ends with: nothing but the template's tokens.
  if (!context.markers && parts.length > 0 && parts.every((part) => part.type === "marker")) return null;
  const seconds = isFirstOfTurn ? turnSeconds(turn) : null;
  const said = [
    tokensText(sample, index),
    seconds === null ? null : formatSeconds(seconds),
    isFirstOfTurn && !ORDINARY_STOPS.has(turn?.stop_reason ?? "") ? turn?.stop_reason : null,
  ];
  return (
    <Section
      id={`${message.role}-${index}`}
      title={
        <>
          {messageTitle(message)}
          {message.guessed && <Badge title="The role was read off bare text and may be wrong.">guessed</Badge>}
          {message.trainable === false && <Badge title="Not trained on">masked</Badge>}
        </>
      }
      facts={
        <>
          <span>{said.filter(Boolean).join(" · ")}</span>
          {isFirstOfTurn && turn?.reward != null && (
            <span>
              {said.some(Boolean) && " · "}reward{" "}
              <b style={turnInk(sample, turn.reward)}>{formatReward(turn.reward)}</b>
            </span>
          )}
        </>
      }
      folds={context.folds}
      open={message.role !== "system" && message.role !== "developer"}
      copy={parts.map((part) => part.text ?? "").join("")}
      turn={isFirstOfTurn ? (message.turn ?? null) : null}
      message={index}
      role={message.role}
    >
      <ScrollBox of={`${context.address} ${index}`} fromStart={message.role === "tool"}>
        {parts.map((part, at) => (
          <PartView key={at} part={part} message={index} index={at} context={context} alone={visible.length === 1} />
        ))}
        {parts.length === 0 && <i>empty</i>}
      </ScrollBox>
      {isFirstOfTurn && turn && <TurnValues turn={turn} />}
    </Section>
  );
});

/** Turns are coloured among each other. A lone turn's reward is the sample's, whose colour stands in the head: another
 * scale here would contradict it. */
function turnInk({ turns }: Sample, reward: number): { color: string } | undefined {
  const rewards = turns.map((turn) => turn.reward);
  return rewards.length > 1 ? { color: colourOf(turnScale(rewards), reward, "ink") } : undefined;
}

/** Metrics and logs of the turn, below what was said in it. */
function TurnValues({ turn }: { turn: Turn }) {
  const metrics = Object.entries(turn.metrics ?? {}).map(([name, value]): [string, string] => [
    name,
    formatValue(value),
  ]);
  const logs = Object.entries(turn.logs ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  if (metrics.length + logs.length === 0) return null;
  return (
    <div className={styles.values}>
      <Values label={`Metrics and logs of turn ${turn.index + 1}`} rows={[...metrics, ...logs]} />
    </div>
  );
}

function turnSeconds(turn: Turn | null): number | null {
  const timings = Object.values(turn?.timings ?? {}).filter((seconds) => seconds !== null);
  return timings.length ? timings.reduce((sum, seconds) => sum + seconds, 0) : null;
}
