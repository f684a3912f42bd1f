import type { Sample } from "../../api/types";
import { plural } from "../../lib/numbers";
import type { Folds } from "../messages/folds";
import { Section } from "../messages/Section";
import { TokenReader } from "./TokenReader";

/** The response token by token. What is known of each is asked for when the section is opened. */
export function TokensView({ run, sample, folds }: { run: string; sample: Sample; folds: Folds }) {
  const { tokens } = sample;
  const count = tokens
    ? Math.max(tokens.strings?.length ?? 0, tokens.ids?.length ?? 0, tokens.logprobs?.length ?? 0)
    : 0;
  if (count === 0) return null;
  return (
    <Section id="tokens" apart title="Tokens" facts={plural(count, "token")} folds={folds} open={false}>
      <TokenReader key={sample.address} run={run} address={sample.address} />
    </Section>
  );
}
