import { setting } from "../../state/settings";

/** The dot columns a user usually wants, null for those of the table of fields; a link may name others. */
export const columnsSetting = setting<string[] | null>("columns", null);
