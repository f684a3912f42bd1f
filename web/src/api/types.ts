/**
 * The shapes of requests and answers, made from the Python sources; do not edit.
 * `python -m rollscope.server.typescript > web/src/api/types.ts` makes them anew.
 * A field with `?` is left out of an answer when it has its default value.
 */

export type PartType =
  | "answer"
  | "marker"
  | "media"
  | "pad"
  | "text"
  | "thinking"
  | "tool_call"
  | "tool_result"
  | "tools";

export type RunState = "finished" | "live" | "unreadable";

export type Status = "aborted" | "completed" | "failed" | "pending" | "truncated";

export interface CacheStats {
  entries: number;
  memory_mb: number;
  max_memory_mb: number;
  max_entries: number;
  hits: number;
  misses: number;
  evictions: number;
}

/** One line of a run's checkpoint list. */
export interface Checkpoint {
  name: string;
  step: number | null;
  paths: Record<string, string>;
  state: Record<string, unknown>;
}

/** A named layout of charts. What is in `layout` is the page's affair. */
export interface Dashboard {
  name: string;
  layout: Record<string, unknown>;
  /** Seconds since the epoch. */
  modified: number;
}

export interface DashboardName {
  name: string;
  modified: number;
  bytes: number;
}

/** How one field is spread in each step: `counts[i][b]` samples of step i lie in bin b. */
export interface Distribution {
  field: string;
  split: string;
  steps: number[];
  edges: number[];
  counts: number[][];
}

export interface DoctorReport {
  run: string;
  path: string;
  format: string;
  confidence: number;
  reasons: string[];
  /** Formats that also recognised something, and how sure they were. */
  others: string[];
  splits: SplitInfo[];
  limits: string[];
  skipped: Skipped[];
  skipped_total: number;
  unclaimed: string[];
  unclaimed_total: number;
  warnings: string[];
}

export interface FileInfo {
  path: string;
  bytes: number;
  modified: number;
  /** What it is to this run: rollouts, metrics, config, checkpoints, diff, report, other. */
  role: string;
  /** Split and step it holds, where the name says so. */
  split: string | null;
  step: number | null;
}

export interface GroupPage {
  split: string;
  step: number;
  total_groups: number;
  total_samples: number;
  offset: number;
  rows: GroupRow[];
  /** Observed (min, max) of each asked column over the whole step, for colours. */
  observed: Record<string, [number, number]>;
  progress: Progress;
}

/** A group and, column by column, its samples' values (for the dots), in the samples' order. */
export interface GroupRow {
  group: number | string | null;
  env: string | null;
  prompt_start: string | null;
  /** The samples' addresses' last number, sorted as asked. */
  samples: number[];
  values: Record<string, (number | null)[]>;
  discard_reasons: (string | null)[];
  statuses: (string | null)[];
  reward_mean: number | null;
  reward_spread: number | null;
}

/** `event: hello`, the first of every connection: each run's version now, to notice what was missed. */
export interface HelloEvent {
  instance: string;
  versions: Record<string, number>;
}

export interface Hit {
  run: string;
  address: string;
  field: string;
  /** Characters in that field's text. */
  start: number;
  end: number;
  snippet: string;
  /** Where the match lies inside the snippet. */
  snippet_start: number;
  snippet_end: number;
}

/** One message. `turn` is the 0-based turn it belongs to; prompt messages have none. */
export interface Message {
  role: string;
  parts?: Part[];
  tokens?: number | null;
  turn?: number | null;
  name?: string | null;
  tool_call_id?: string | null;
  /** The role was read off bare text and may be wrong. */
  guessed?: boolean;
  trainable?: boolean | null;
}

/** What lies around a sample, in the order and under the filter of its list. Null where there is nothing. */
export interface Neighbours {
  previous: string | null;
  next: string | null;
  previous_group: string | null;
  next_group: string | null;
  previous_step: string | null;
  next_step: string | null;
  /** 0-based place in the list; null when the filter leaves the sample out. */
  position: number | null;
  total: number;
}

/** The body of a PUT. */
export interface NewLayout {
  layout: Record<string, unknown>;
}

/** A stretch of a message. `text` is the source text with its delimiters: the first `lead` and the last `tail` characters are delimiters (`<think>`, `</think>`), what lies between is the content. */
export interface Part {
  type?: PartType;
  text?: string;
  lead?: number;
  tail?: number;
  /** A tool's name; for media its kind ("image"). */
  name?: string | null;
  /** The id that pairs a tool call with its result. */
  id?: string | null;
  /** False when a block was cut before its closing delimiter. */
  closed?: boolean;
  /** How many pad tokens this run stands for. */
  count?: number;
  /** Characters of the whole text when `text` holds only a part of it (HTTP answers for very long texts). */
  chars?: number;
}

/** Characters `start` to `end` of one part's text, and how many it has. */
export interface PartSlice {
  start: number;
  end: number;
  chars: number;
  text: string;
}

/** An error as RFC 9457 has it (`application/problem+json`): what happened, and in `hint` what to do. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  type?: string;
  hint?: string;
  /** For a filter that does not parse: where in it, counted from 0. */
  position?: number | null;
}

/** How far indexing is. `done` when nothing is left; `seconds_left` is an estimate. */
export interface Progress {
  done: boolean;
  bytes_done: number;
  bytes_total: number;
  samples: number;
  files_done: number;
  files_total: number;
  seconds_left: number | null;
}

/** How a reward or metric ranges, and which end is good. */
export interface Range {
  min?: number | null;
  max?: number | null;
  higher_is_better?: boolean;
  /** "declared" in the run's config, or "observed" in its samples. */
  origin?: "declared" | "observed";
}

/** A logtree report as its file has it. */
export interface Report {
  title: string;
  started_at: string;
  path: string;
  root: ReportNode;
}

/** An element of a logtree report. The page makes elements of it itself; it is never used as HTML. */
export interface ReportNode {
  tag: string;
  attrs: Record<string, string>;
  children: (string | ReportNode)[];
  data: unknown;
}

/** Everything about one run but its samples. */
export interface RunDetails {
  info: RunInfo;
  config: unknown;
  /** By environment (`*` = any), then "reward", "advantage" or "metrics.NAME". */
  ranges: Record<string, Record<string, Range>>;
  checkpoints: Checkpoint[];
  files: FileInfo[];
  /** All the files there are; `files` holds at most the first 2,000 of them. */
  files_total: number;
  skipped: Skipped[];
  skipped_total: number;
  code_diff: string | null;
  /** Reports that can be shown: paths of logtree JSON files. */
  reports: string[];
  /** What the format cannot know, and what was guessed. */
  limits: string[];
  /** Numeric per-sample fields that occur: "reward", "metrics.correct", … */
  fields: string[];
  envs: string[];
}

/** `event: run`: something in this run changed. */
export interface RunEvent {
  run: string;
  version: number;
  state: string;
  splits: SplitInfo[];
  progress: Progress;
}

/** One run in a list. */
export interface RunInfo {
  id: string;
  run: string;
  name: string;
  path: string;
  format: string;
  state: RunState;
  splits: SplitInfo[];
  warnings: string[];
  /** Seconds since the epoch of the newest file. */
  modified: number | null;
  progress: Progress | null;
}

/** `event: runs`: runs appeared or went; ask for the list again. */
export interface RunsEvent {
  runs: number;
}

/** One rollout, whole. Its scalars are those of `fields.Scalars`. */
export interface Sample {
  /** train, or eval/ and the name of the eval set. */
  split: string;
  /** The training iteration it belongs to. */
  step: number;
  /** Its place in its step, from 0. */
  index: number;
  /** The samples of one step that share one prompt. */
  group: number | string | null;
  /** The environment that asked and judged. */
  env: string | null;
  /** The dataset its prompt is from. */
  dataset: string | null;
  /** Words that its trainer gave it. */
  tags: string[];
  /** The total reward. */
  reward: number | null;
  /** What was given at the end, apart from the turns' rewards. */
  final_reward: number | null;
  /** How much better than its group. */
  advantage: number | null;
  /** completed, truncated, aborted, failed or pending. */
  status: string | null;
  /** Why generation stopped, in the source's words. */
  stop_reason: string | null;
  /** Why it was not trained on; missing where it was. */
  discard_reason: string | null;
  /** Tokens of the prompt. */
  prompt_tokens: number | null;
  /** Tokens that the model wrote. */
  completion_tokens: number | null;
  /** Tokens of the whole sample. */
  total_tokens: number | null;
  /** The step of the weights that sampled it. */
  sampling_step: number | null;
  /** Its step minus its sampling step. */
  staleness: number | null;
  /** Which attempt at the run wrote it, from 0; the newest counts. */
  attempt: number;
  /** The prompt's name across steps. */
  prompt_id: string | null;
  address: string;
  messages: Message[];
  rewards: Record<string, number | null>;
  metrics: Record<string, number | null>;
  golden_answers: Record<string, string>;
  turns: Turn[];
  timings: Record<string, number | null>;
  tokens: TokenArrays | null;
  /** Values that JSON has no word for, by field: `{"reward": "NaN"}`. The field itself is then null in JSON. */
  nonfinite: Record<string, string>;
  /** What was guessed or could not be known about this sample, in sentences. */
  notes: string[];
  unmatched: Transcript[];
  /** Where it lies: file, line (1-based) or member and row. */
  source: Record<string, number | string | boolean | null>;
  /** The source record as it was. Bare NaN and lone surrogates, which JSON cannot hold, are shown as text. */
  record: unknown;
}

export interface SamplePage {
  total: number;
  offset: number;
  rows: SampleRow[];
  /** Not done: the list holds what has been read so far. */
  progress: Progress;
}

/** A sample's scalars: those of `fields.RowScalars`, its address and its run. */
export interface SampleRow {
  /** train, or eval/ and the name of the eval set. */
  split: string;
  /** The training iteration it belongs to. */
  step: number;
  /** Its place in its step, from 0. */
  index: number;
  /** The samples of one step that share one prompt. */
  group: number | string | null;
  /** The environment that asked and judged. */
  env: string | null;
  /** The dataset its prompt is from. */
  dataset: string | null;
  /** Words that its trainer gave it. */
  tags: string[];
  /** The total reward. */
  reward: number | null;
  /** What was given at the end, apart from the turns' rewards. */
  final_reward: number | null;
  /** How much better than its group. */
  advantage: number | null;
  /** completed, truncated, aborted, failed or pending. */
  status: string | null;
  /** Why generation stopped, in the source's words. */
  stop_reason: string | null;
  /** Why it was not trained on; missing where it was. */
  discard_reason: string | null;
  /** Tokens of the prompt. */
  prompt_tokens: number | null;
  /** Tokens that the model wrote. */
  completion_tokens: number | null;
  /** Tokens of the whole sample. */
  total_tokens: number | null;
  /** The step of the weights that sampled it. */
  sampling_step: number | null;
  /** Its step minus its sampling step. */
  staleness: number | null;
  /** Which attempt at the run wrote it, from 0; the newest counts. */
  attempt: number;
  /** The prompt's name across steps. */
  prompt_id: string | null;
  /** How often the model answered. */
  turns: number | null;
  /** Size of the response in the file. */
  response_bytes: number | null;
  run: string;
  address: string;
  metrics: Record<string, number | null>;
  rewards: Record<string, number | null>;
  nonfinite: Record<string, string>;
  /** The starts of its texts; only when asked for. */
  prompt_start: string | null;
  response_start: string | null;
}

/** The last line of a search: why it ended. */
export interface SearchEnd {
  done: true;
  hits: number;
  seconds: number;
  /** "complete": all was searched; "limit": more may match; "time": the time limit came first; "error": see `detail`. */
  reason: "complete" | "error" | "limit" | "time";
  /** The limit that ended it (hits or seconds), or null. */
  limit: number | null;
  detail: string;
}

export interface Series {
  name: string;
  section: string;
  group: string;
  /** [step, value]; a value that is not finite is null and named in `nonfinite` by its position. */
  points: [number, number | null][];
  /** Wall-clock seconds since the epoch of each point, where the source has them, else empty. */
  times: (number | null)[];
  nonfinite: Record<string, string>;
}

/** A series as columns of one length: ten thousand points are read three times as fast as as many pairs. */
export interface SeriesColumns {
  name: string;
  steps: number[];
  /** A value that is not finite is null and named in `nonfinite` by its position. */
  values: (number | null)[];
  /** Wall-clock seconds since the epoch, where the source has them, else empty. */
  times: (number | null)[];
  nonfinite: Record<string, string>;
}

/** One entry of the metric catalog. */
export interface SeriesInfo {
  name: string;
  section: string;
  group: string;
  metric: string;
  origin: "derived" | "logged";
  points: number;
  /** For derived series with a distribution: the field to ask `distribution` for. */
  field: string | null;
  split: string | null;
}

/** A piece of a file that holds no sample although it should. Bad data is a value, not an exception. */
export interface Skipped {
  file: string;
  line: number;
  reason: string;
}

export interface SplitInfo {
  split: string;
  steps: number;
  first_step: number | null;
  last_step: number | null;
  samples: number;
  discarded: number;
}

export interface SqlResult {
  columns: string[];
  rows: unknown[][];
  /** The limit that cut the result, or null. */
  truncated_at: number | null;
}

export interface StepRow {
  step: number;
  /** Samples trained on; the discarded ones are counted apart. */
  samples: number;
  groups: number;
  discarded: number;
  reward: Summary;
  bytes: number;
  skipped_lines: number;
  discard_reasons: Record<string, number>;
  /** Mean over groups of the unbiased pass@k, by k. A sample passed when its verdict (`metrics.correct` and the like) is above 0, or its reward where it has no verdict. */
  pass_at: Record<string, number | null>;
  /** False while the step's files are still being read or still growing. */
  complete: boolean;
}

/** Of the finite values of one field over some samples. */
export interface Summary {
  count: number;
  mean: number | null;
  std: number | null;
  min: number | null;
  max: number | null;
}

/** Per-token values of the response, all of one length. */
export interface TokenArrays {
  ids?: number[];
  strings?: string[];
  /** What the sampler gave each token, and what the trainer's own forward pass gave it. */
  logprobs?: (number | null)[];
  trainer_logprobs?: (number | null)[];
  entropy?: (number | null)[];
  mask?: number[];
  advantage?: (number | null)[];
}

/** A conversation of the group that could not be joined to one sample with certainty. */
export interface Transcript {
  title: string;
  messages?: Message[];
}

/** The numbers of one model response. */
export interface Turn {
  index: number;
  reward?: number | null;
  metrics?: Record<string, number | null>;
  logs?: Record<string, unknown>;
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  stop_reason?: string | null;
  timings?: Record<string, number | null>;
}

/** The server that answers, and the limits it holds clients to. */
export interface VersionInfo {
  version: string;
  base_path: string;
  /** Changes with every start of the server: versions of runs are comparable only below one `instance`. */
  instance: string;
  /** Pattern of pad tokens, shown once with their count; empty: none; null: the usual ones. */
  mask: string | null;
  max_rows: number;
  max_query_bytes: number;
  max_body_bytes: number;
  search_seconds: number;
}

export interface Vocabulary {
  fields: VocabularyField[];
  spaces: VocabularySpace[];
  operators: VocabularyOperator[];
  /** Words between conditions, and the word that turns one around. */
  joiners: string[];
  negation: string;
  /** Other words for fields: in filters and sorts. */
  aliases: Record<string, string>;
  /** Further sort keys; with a minus sign before it, any key sorts downwards. */
  sorts: string[];
}

/** A field that every run may have. */
export interface VocabularyField {
  name: string;
  type: "boolean" | "integer" | "number" | "string" | "strings";
  title: string;
  short: string;
  kind: "amount" | "category" | "identity" | "score" | "signed" | "text";
  about: string;
  /** head, list, details, charts: where it is shown unless a person chooses otherwise. */
  shown: "charts" | "details" | "head" | "list"[];
  origin: "derived" | "sample" | "stored" | "text";
  /** What may stand behind it in a filter; empty for what is known only of an opened sample. */
  operators: string[];
  /** Values that are always possible, for completion. */
  values: string[];
}

export interface VocabularyOperator {
  word: string;
  /** What stands behind it: a value, several in parentheses, a text in quotes, a /pattern/, nothing. */
  operand: "nothing" | "pattern" | "text" | "value" | "values";
  about: string;
}

/** Fields that a run brings along, by a name after a dot: `metrics.correct`. They are numbers. */
export interface VocabularySpace {
  prefix: string;
  title: string;
  about: string;
  operators: string[];
}

/** What /api/runs may be asked. */
export interface ListRunsQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** How many to leave out at the start. */
  offset?: number;
  /** How many to send at most. */
  limit?: number;
}

/** What /api/runs/{run} may be asked. */
export interface GetRunQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
}

/** What /api/runs/{run}/catalog may be asked. */
export interface ListSeriesQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
}

/** What /api/runs/{run}/distribution may be asked. */
export interface GetDistributionQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** A numeric field, such as reward or metrics.correct. */
  field: string;
  /** train, or eval/NAME. */
  split?: string;
}

/** What /api/runs/{run}/fields may be asked. */
export interface ListFieldsQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** The training step. */
  step: number;
  /** train, or eval/NAME. */
  split?: string;
}

/** What /api/runs/{run}/groups may be asked. */
export interface ListGroupsQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** A filter, such as reward < 0.2 and status = "truncated". */
  where?: string;
  /** As for samples; also spread: the spread of reward in a group. */
  sort?: string;
  /** false: samples that were trained on; true: discarded ones; all: both. */
  discarded?: "0" | "1" | "all" | "false" | "true";
  /** The training step. */
  step: number;
  /** train, or eval/NAME. */
  split?: string;
  /** Fields whose values are wanted per sample; with commas, or repeated. */
  columns?: string[];
  /** How many to leave out at the start. */
  offset?: number;
  /** How many to send at most. */
  limit?: number;
  /** Send the start of each group's prompt too. */
  preview?: boolean;
}

/** What /api/runs/{run}/neighbours may be asked. */
export interface GetNeighboursQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** A filter, such as reward < 0.2 and status = "truncated". */
  where?: string;
  /** A field to sort by; with - before it, largest first. */
  sort?: string;
  /** false: samples that were trained on; true: discarded ones; all: both. */
  discarded?: "0" | "1" | "all" | "false" | "true";
  /** A sample: split/step/n, such as train/12/37. */
  address: string;
}

/** What /api/runs/{run}/part may be asked. */
export interface GetPartQuery {
  /** A sample: split/step/n, such as train/12/37. */
  address: string;
  /** Which of the sample's messages, from 0. */
  message: number;
  /** Which of the message's parts, from 0. */
  part: number;
  /** The first character wanted. */
  start?: number;
  /** The character after the last one wanted; at most 4,000,000 after start. */
  end?: number;
}

/** What /api/runs/{run}/prompt_history may be asked. */
export interface ListPromptHistoryQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** A sample: split/step/n, such as train/12/37. */
  address: string;
}

/** What /api/runs/{run}/raw may be asked. */
export interface GetRawQuery {
  /** A sample: split/step/n, such as train/12/37. */
  address: string;
}

/** What /api/runs/{run}/report may be asked. */
export interface GetReportQuery {
  /** One of the run's `reports`. */
  path: string;
}

/** What /api/runs/{run}/sample may be asked. */
export interface GetSampleQuery {
  /** A sample: split/step/n, such as train/12/37. */
  address: string;
  /** Of a longer part, send only its last characters, and its length as `chars`. */
  max_chars?: number;
  /** Send the source record as it was. */
  record?: boolean;
}

/** What /api/runs/{run}/samples may be asked. */
export interface ListSamplesQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** A filter, such as reward < 0.2 and status = "truncated". */
  where?: string;
  /** A field to sort by; with - before it, largest first. */
  sort?: string;
  /** false: samples that were trained on; true: discarded ones; all: both. */
  discarded?: "0" | "1" | "all" | "false" | "true";
  /** train, or eval/NAME. */
  split?: string;
  /** The training step. */
  step?: number;
  /** How many to leave out at the start. */
  offset?: number;
  /** How many to send at most. */
  limit?: number;
  /** Send the starts of prompt and response too. */
  preview?: boolean;
}

/** What /api/runs/{run}/search may be asked. */
export interface SearchQuery {
  /** The text or pattern to find. */
  q: string;
  /** q is a regular expression (RE2). */
  regex?: boolean;
  /** Letters match in upper and lower case. */
  ignore_case?: boolean;
  /** Where to look (prompt, response, …); with commas, or repeated. All unless given. */
  fields?: string[];
  /** A filter, such as reward < 0.2 and status = "truncated". */
  where?: string;
  /** train, or eval/NAME. */
  split?: string;
  /** false: samples that were trained on; true: discarded ones; all: both. */
  discarded?: "0" | "1" | "all" | "false" | "true";
  /** How many to send at most. */
  limit?: number;
}

/** What /api/runs/{run}/series may be asked. */
export interface GetSeriesQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** Names from the catalog; may be repeated. */
  name: string[];
}

/** What /api/runs/{run}/series_columns may be asked. */
export interface GetSeriesColumnsQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** Names from the catalog; may be repeated. */
  name: string[];
  /** Also when each point was logged. */
  times?: boolean;
}

/** What /api/runs/{run}/sql may be asked. */
export interface RunSqlQuery {
  /** A SELECT over samples, steps, metrics, runs. */
  query: string;
}

/** What /api/runs/{run}/steps may be asked. */
export interface ListStepsQuery {
  /** Seconds to wait for files that were never read before. What is not read by then is missing, and `progress` says so. */
  wait?: number;
  /** train, or eval/NAME. */
  split?: string;
  /** How many to leave out at the start. */
  offset?: number;
  /** How many to send at most. */
  limit?: number;
}
