/** A reward or an advantage in the colour of its scale, for places that show a sample without its rows around it. */
import { useRun } from "../../api/hooks";
import { formatReward, formatSigned } from "../../lib/numbers";
import { colourOf, scaleFor } from "./colourScale";

interface RewardFigureProps {
  run: string;
  env: string | null;
  field?: "reward" | "advantage";
  value: number | null;
}

export function RewardFigure({ run, env, field = "reward", value }: RewardFigureProps) {
  const ranges = useRun(run).data?.ranges ?? {};
  if (value === null) return null;
  return (
    <b title={field} style={{ color: colourOf(scaleFor(field, env, ranges, {}), value, "ink") }}>
      {field === "reward" ? formatReward(value) : formatSigned(value)}
    </b>
  );
}
