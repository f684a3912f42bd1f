/** `[map]` of a file rollscope.toml: which key of a record is which field. A TOML text escapes as a JSON text does. */
export function mappingFile(mapping: Readonly<Record<string, string>>): string {
  const lines = Object.entries(mapping).map(([field, key]) => `${field} = ${JSON.stringify(key)}`);
  return ["[map]", ...lines, ""].join("\n");
}

/** The same for the command line; quoted where a key has anything that a shell would read. */
export function mappingFlag(mapping: Readonly<Record<string, string>>): string {
  const text = Object.entries(mapping)
    .map(([field, key]) => `${field}=${key}`)
    .join(",");
  return `--map ${/^[\w.,=/-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`}`;
}
