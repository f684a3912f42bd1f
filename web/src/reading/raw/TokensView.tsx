import { useState } from "react";
import type { Sample } from "../../api/types";
import { formatValue, plural } from "../../lib/numbers";
import type { Folds } from "../messages/folds";
import { Section } from "../messages/Section";
import { colourOf } from "../outcome/colourScale";
import { ScrollBox } from "../text/ScrollBox";
import styles from "./TokensView.module.css";
import { availableValues, type TokenValue, tokenCount, tokenScale, tokenText } from "./tokens";

/** More tokens than this are shown from the end, and the section says so. */
const MOST_TOKENS = 8000;

/** The response token by token, coloured by a value the source recorded for each. */
export function TokensView({ sample, folds }: { sample: Sample; folds: Folds }) {
  const { tokens } = sample;
  const count = tokens ? tokenCount(tokens) : 0;
  const values = tokens ? availableValues(tokens) : [];
  const [wanted, setWanted] = useState<TokenValue>("logprobs");
  if (!tokens || count === 0 || values.length === 0) return null;
  const chosen = values.find(({ key }) => key === wanted) ?? values[0];
  const from = Math.max(0, count - MOST_TOKENS);
  return (
    <Section
      id="tokens"
      apart
      title="Tokens"
      facts={`${plural(count, "token")}${from ? ` · the last ${MOST_TOKENS.toLocaleString("en-US")} shown` : ""}`}
      folds={folds}
      open={false}
    >
      <div className={styles.choice} role="radiogroup" aria-label="Colour tokens by">
        {values.map(({ key, label }) => (
          <label key={key}>
            <input type="radio" name="token-value" checked={key === chosen?.key} onChange={() => setWanted(key)} />
            {label}
          </label>
        ))}
      </div>
      <ScrollBox of={sample.address}>
        {chosen && <Tokens sample={sample} value={chosen.key} label={chosen.label} from={from} count={count} />}
      </ScrollBox>
    </Section>
  );
}

function Tokens({
  sample,
  value,
  label,
  from,
  count,
}: {
  sample: Sample;
  value: TokenValue;
  label: string;
  from: number;
  count: number;
}) {
  const tokens = sample.tokens ?? {};
  const values = tokens[value] ?? [];
  const scale = tokenScale(value, values);
  return (
    <div className={styles.tokens}>
      {Array.from({ length: count - from }, (_, nth) => {
        const at = from + nth;
        return (
          <span
            key={at}
            title={`token ${at} · ${label} ${formatValue(values[at])}`}
            style={{ backgroundColor: `color-mix(in oklab, ${colourOf(scale, values[at])} 32%, transparent)` }}
          >
            {tokenText(tokens, at)}
          </span>
        );
      })}
    </div>
  );
}
