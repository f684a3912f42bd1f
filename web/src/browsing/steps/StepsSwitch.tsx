import type { View } from "../../state/url";
import { Switch } from "../../ui/menus/Switch";

const CHOICES = [
  { value: "one", label: "One step" },
  { value: "all", label: "All steps" },
] as const;

/** Whether the list is that of one step, or goes over many. */
export function StepsSwitch({ across, onAcross }: { across: boolean; onAcross: (across: boolean) => void }) {
  return (
    <Switch
      label="Steps in the list"
      choices={CHOICES}
      chosen={across ? "all" : "one"}
      onChoose={(chosen) => onAcross(chosen === "all")}
    />
  );
}

/** Over many steps one looks at samples, the newest first; in one step at groups as they were written. What is open
 * stays open, and an order that was chosen stays. */
export function acrossPatch(across: boolean, sort: string): Partial<View> {
  if (across)
    return { steps: "all", list: "samples", sort: sort === "index" || sort.endsWith("spread") ? "-step" : sort };
  return { steps: null, list: "groups", sort: /^-?step$/.test(sort) ? "index" : sort };
}
