import { setting } from "../../state/settings";

/** The dot columns a user usually wants; a link may name others. */
export const columnsSetting = setting<string[]>("columns", ["reward", "advantage", "completion_tokens"]);
