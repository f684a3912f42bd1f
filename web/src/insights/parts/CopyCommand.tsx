import { insightCommand } from "../../api/insights";
import { CopyButton } from "../../ui/CopyButton";

interface CopyCommandProps {
  run: string;
  name: string;
  words?: readonly string[];
  other?: string | null;
}

/** What this view shows, as the command that prints it. */
export function CopyCommand({ run, name, words = [], other = null }: CopyCommandProps) {
  return (
    <CopyButton
      text={async () => (await insightCommand(run, name, words, other)).command}
      title={`rollscope ${name} …`}
    >
      Copy as command
    </CopyButton>
  );
}

/** Arguments of a command; what is not given is left out. */
export function options(given: Readonly<Record<string, string | null | undefined>>): string[] {
  return Object.entries(given).flatMap(([name, value]) => (value ? [`--${name}=${value}`] : []));
}
