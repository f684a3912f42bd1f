/** The shapes of answers. Mirrors rollscope/query/answers.py and rollscope/model.py by hand until they are generated. */

export interface Progress {
  done: boolean;
  bytes_done: number;
  bytes_total: number;
  samples: number;
  files_done: number;
  files_total: number;
  seconds_left: number | null;
}

export interface SplitInfo {
  split: string;
  steps: number;
  first_step: number | null;
  last_step: number | null;
  samples: number;
  discarded: number;
}

export type RunState = "live" | "finished" | "unreadable";

export interface RunInfo {
  id: string;
  run: string;
  name: string;
  path: string;
  format: string;
  state: RunState;
  splits: SplitInfo[];
  warnings: string[];
  modified: number | null;
  progress: Progress | null;
}

export interface FileInfo {
  path: string;
  bytes: number;
  modified: number;
  role: string;
  split: string | null;
  step: number | null;
}

export interface Range {
  min?: number | null;
  max?: number | null;
  higher_is_better?: boolean;
  origin?: "declared" | "observed";
}

export interface Checkpoint {
  name: string;
  step: number | null;
  paths: Record<string, string>;
  state: Record<string, unknown>;
}

export interface Skipped {
  file: string;
  line: number;
  reason: string;
}

export interface RunDetails {
  info: RunInfo;
  config: unknown;
  ranges: Record<string, Record<string, Range>>;
  checkpoints: Checkpoint[];
  files: FileInfo[];
  files_total: number;
  skipped: Skipped[];
  skipped_total: number;
  code_diff: string | null;
  reports: string[];
  limits: string[];
  fields: string[];
  envs: string[];
}

export interface Summary {
  count: number;
  mean: number | null;
  std: number | null;
  min: number | null;
  max: number | null;
}

export interface StepRow {
  step: number;
  samples: number;
  groups: number;
  discarded: number;
  reward: Summary;
  bytes: number;
  skipped_lines: number;
  discard_reasons: Record<string, number>;
  complete: boolean;
}

export interface StepList {
  split: string;
  steps: StepRow[];
  progress: Progress;
}

export interface SampleRow {
  run: string;
  address: string;
  split: string;
  step: number;
  index: number;
  group: number | string | null;
  reward: number | null;
  advantage: number | null;
  status: string | null;
  discard_reason: string | null;
  stop_reason: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  env: string | null;
  dataset: string | null;
  tags: string[];
  turns: number | null;
  sampling_step: number | null;
  staleness: number | null;
  metrics: Record<string, number | null>;
  rewards: Record<string, number | null>;
  nonfinite: Record<string, string>;
  prompt_start: string | null;
  response_start: string | null;
}

export interface SamplePage {
  total: number;
  offset: number;
  rows: SampleRow[];
  progress: Progress;
}

export interface GroupRow {
  group: number | string | null;
  env: string | null;
  prompt_start: string | null;
  samples: number[];
  values: Record<string, (number | null)[]>;
  discard_reasons: (string | null)[];
  statuses: (string | null)[];
  reward_mean: number | null;
  reward_spread: number | null;
}

export interface GroupPage {
  split: string;
  step: number;
  total_groups: number;
  total_samples: number;
  offset: number;
  rows: GroupRow[];
  observed: Record<string, [number, number]>;
  progress: Progress;
}

export interface SeriesInfo {
  name: string;
  section: string;
  group: string;
  metric: string;
  origin: "logged" | "derived";
  points: number;
  field: string | null;
  split: string | null;
}

export interface Series {
  name: string;
  section: string;
  group: string;
  points: [number, number | null][];
  times: (number | null)[];
  nonfinite: Record<string, string>;
}

export interface Distribution {
  field: string;
  split: string;
  steps: number[];
  edges: number[];
  counts: number[][];
}

export interface Hit {
  run: string;
  address: string;
  field: string;
  start: number;
  end: number;
  snippet: string;
  snippet_start: number;
  snippet_end: number;
}

export interface Neighbours {
  previous: string | null;
  next: string | null;
  previous_group: string | null;
  next_group: string | null;
  previous_step: string | null;
  next_step: string | null;
  position: number | null;
  total: number | null;
}

export type PartType =
  | "text"
  | "thinking"
  | "tool_call"
  | "tool_result"
  | "tools"
  | "answer"
  | "media"
  | "pad"
  | "marker";

/** Fields at their default are left out of the answer. */
export interface Part {
  type?: PartType;
  text?: string;
  lead?: number;
  tail?: number;
  name?: string | null;
  id?: string | null;
  closed?: boolean;
  count?: number;
  chars?: number;
}

export interface Message {
  role: string;
  parts?: Part[];
  tokens?: number | null;
  turn?: number | null;
  name?: string | null;
  tool_call_id?: string | null;
  guessed?: boolean;
  trainable?: boolean | null;
}

export interface Turn {
  index: number;
  reward?: number | null;
  metrics?: Record<string, number | null>;
  logs?: Record<string, unknown>;
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  stop_reason?: string | null;
  timings?: Record<string, number>;
}

export interface TokenArrays {
  ids?: number[];
  strings?: string[];
  logprobs?: (number | null)[];
  entropy?: (number | null)[];
  mask?: number[];
  advantage?: (number | null)[];
}

export interface Transcript {
  title: string;
  messages?: Message[];
}

export interface Sample {
  address: string;
  split: string;
  step: number;
  index: number;
  group: number | string | null;
  env: string | null;
  dataset: string | null;
  tags: string[];
  messages: Message[];
  reward: number | null;
  rewards: Record<string, number | null>;
  final_reward: number | null;
  advantage: number | null;
  metrics: Record<string, number | null>;
  golden_answers: Record<string, string>;
  status: string | null;
  stop_reason: string | null;
  discard_reason: string | null;
  sampling_step: number | null;
  staleness: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  turns: Turn[];
  timings: Record<string, number>;
  tokens: TokenArrays | null;
  prompt_id: string | null;
  attempt: number;
  nonfinite: Record<string, string>;
  notes: string[];
  unmatched: Transcript[];
  source: Record<string, string | number | boolean | null>;
  record: unknown;
}
