/** The server's vocabulary, for tests: made by `make docs`. The page asks the server. */

import type { Vocabulary } from "./types";

export const EXAMPLE_VOCABULARY: Vocabulary = {
  "fields": [
    {
      "name": "split",
      "type": "string",
      "title": "Split",
      "short": "split",
      "kind": "category",
      "about": "train, or eval/ and the name of the eval set.",
      "shown": [
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "step",
      "type": "integer",
      "title": "Step",
      "short": "step",
      "kind": "identity",
      "about": "The training iteration it belongs to.",
      "shown": [
        "head",
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "index",
      "type": "integer",
      "title": "Sample",
      "short": "n",
      "kind": "identity",
      "about": "Its position in its step, from 0.",
      "shown": [
        "head",
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "group",
      "type": "string",
      "title": "Group",
      "short": "group",
      "kind": "identity",
      "about": "The samples of one step that share one prompt.",
      "shown": [
        "head",
        "list",
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "env",
      "type": "string",
      "title": "Environment",
      "short": "env",
      "kind": "category",
      "about": "The environment that gave the prompt and the reward.",
      "shown": [
        "head",
        "list",
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "dataset",
      "type": "string",
      "title": "Dataset",
      "short": "dataset",
      "kind": "category",
      "about": "The dataset its prompt is from.",
      "shown": [
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "tags",
      "type": "strings",
      "title": "Tags",
      "short": "tags",
      "kind": "category",
      "about": "Tags given by the trainer.",
      "shown": [
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "reward",
      "type": "number",
      "title": "Reward",
      "short": "rew",
      "kind": "score",
      "about": "The total reward.",
      "shown": [
        "head",
        "list",
        "dots",
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "final_reward",
      "type": "number",
      "title": "Final reward",
      "short": "final reward",
      "kind": "score",
      "about": "The reward given at the end, without the rewards of turns.",
      "shown": [
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "advantage",
      "type": "number",
      "title": "Advantage",
      "short": "adv",
      "kind": "signed",
      "about": "How much better than its group.",
      "shown": [
        "head",
        "list",
        "dots",
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "status",
      "type": "string",
      "title": "Status",
      "short": "status",
      "kind": "category",
      "about": "completed, truncated, aborted, failed or pending.",
      "shown": [
        "head",
        "list",
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": [
        "completed",
        "truncated",
        "aborted",
        "failed",
        "pending"
      ]
    },
    {
      "name": "stop_reason",
      "type": "string",
      "title": "Stop reason",
      "short": "stop reason",
      "kind": "category",
      "about": "Why generation stopped, in the source's words.",
      "shown": [
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "discard_reason",
      "type": "string",
      "title": "Discard reason",
      "short": "discard reason",
      "kind": "category",
      "about": "Why it was not trained on; missing if it was.",
      "shown": [
        "head",
        "list",
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "prompt_tokens",
      "type": "integer",
      "title": "Prompt tokens",
      "short": "prm",
      "kind": "amount",
      "about": "Tokens in the prompt.",
      "shown": [
        "head",
        "list",
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "completion_tokens",
      "type": "integer",
      "title": "Completion tokens",
      "short": "tok",
      "kind": "amount",
      "about": "Tokens that the model wrote.",
      "shown": [
        "head",
        "list",
        "dots",
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "total_tokens",
      "type": "integer",
      "title": "Total tokens",
      "short": "tot",
      "kind": "amount",
      "about": "Tokens in the whole sample.",
      "shown": [
        "head",
        "list",
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "sampling_step",
      "type": "integer",
      "title": "Sampling step",
      "short": "sampling step",
      "kind": "amount",
      "about": "The step of the weights that sampled it.",
      "shown": [
        "details"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "staleness",
      "type": "integer",
      "title": "Staleness",
      "short": "stale",
      "kind": "amount",
      "about": "Its step minus its sampling step.",
      "shown": [
        "head",
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "attempt",
      "type": "integer",
      "title": "Attempt",
      "short": "attempt",
      "kind": "amount",
      "about": "Which attempt at the run wrote it, from 0; the newest is shown.",
      "shown": [
        "details",
        "folded"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "prompt_id",
      "type": "string",
      "title": "Prompt id",
      "short": "prompt id",
      "kind": "identity",
      "about": "The prompt's name across steps.",
      "shown": [
        "details",
        "folded"
      ],
      "origin": "sample",
      "operators": [],
      "values": []
    },
    {
      "name": "turns",
      "type": "integer",
      "title": "Turns",
      "short": "turns",
      "kind": "amount",
      "about": "How often the model answered.",
      "shown": [
        "details",
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "response_bytes",
      "type": "integer",
      "title": "Response bytes",
      "short": "bytes",
      "kind": "amount",
      "about": "Size of the response in the file.",
      "shown": [
        "charts"
      ],
      "origin": "stored",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "address",
      "type": "string",
      "title": "Address",
      "short": "address",
      "kind": "identity",
      "about": "Its permanent name in the run: split/step/n.",
      "shown": [
        "list",
        "details"
      ],
      "origin": "derived",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "discarded",
      "type": "boolean",
      "title": "Discarded",
      "short": "discarded",
      "kind": "category",
      "about": "It was generated but not trained on.",
      "shown": [],
      "origin": "derived",
      "operators": [
        "=",
        "!=",
        "in",
        "not in",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "reward_spread",
      "type": "number",
      "title": "Reward spread",
      "short": "spread",
      "kind": "amount",
      "about": "Standard deviation of the rewards of its group, kept and discarded samples apart; 0 if all are equal. Missing if fewer than two are known.",
      "shown": [],
      "origin": "derived",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "label",
      "type": "strings",
      "title": "Labels",
      "short": "label",
      "kind": "category",
      "about": "Labels given by people.",
      "shown": [],
      "origin": "noted",
      "operators": [
        "=",
        "!=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "rating",
      "type": "integer",
      "title": "Rating",
      "short": "rating",
      "kind": "score",
      "about": "The newest rating given by somebody, 1 to 5.",
      "shown": [],
      "origin": "noted",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "noted",
      "type": "boolean",
      "title": "Noted",
      "short": "noted",
      "kind": "category",
      "about": "Somebody wrote a note on it.",
      "shown": [],
      "origin": "noted",
      "operators": [
        "=",
        "!=",
        "in",
        "not in",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "prompt",
      "type": "string",
      "title": "Prompt",
      "short": "prompt",
      "kind": "text",
      "about": "What the model was given.",
      "shown": [],
      "origin": "text",
      "operators": [
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches"
      ],
      "values": []
    },
    {
      "name": "response",
      "type": "string",
      "title": "Response",
      "short": "response",
      "kind": "text",
      "about": "What the model wrote, and what tools and the environment replied.",
      "shown": [],
      "origin": "text",
      "operators": [
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches"
      ],
      "values": []
    },
    {
      "name": "text",
      "type": "string",
      "title": "Text",
      "short": "text",
      "kind": "text",
      "about": "Prompt, response and golden answers.",
      "shown": [],
      "origin": "text",
      "operators": [
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches"
      ],
      "values": []
    },
    {
      "name": "golden",
      "type": "string",
      "title": "Golden answers",
      "short": "golden answers",
      "kind": "text",
      "about": "The reference answers.",
      "shown": [],
      "origin": "text",
      "operators": [
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches"
      ],
      "values": []
    },
    {
      "name": "text.chars",
      "type": "integer",
      "title": "Characters",
      "short": "chars",
      "kind": "amount",
      "about": "Characters of the response.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.words",
      "type": "integer",
      "title": "Words",
      "short": "words",
      "kind": "amount",
      "about": "Words of the response, by white space; of Chinese, Japanese, Thai … each sign.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.lines",
      "type": "integer",
      "title": "Lines",
      "short": "lines",
      "kind": "amount",
      "about": "Lines of the response.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.think_chars",
      "type": "integer",
      "title": "Thought characters",
      "short": "think",
      "kind": "amount",
      "about": "Characters between think delimiters; 0 where there are none.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.answer_chars",
      "type": "integer",
      "title": "Answer characters",
      "short": "answer len",
      "kind": "amount",
      "about": "Characters after the last thought, without white space at its ends.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.loop",
      "type": "integer",
      "title": "Loop",
      "short": "loop",
      "kind": "amount",
      "about": "Characters at the end of the response that are one unit repeated, or a count that goes on; 0 without a loop.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.repetition",
      "type": "number",
      "title": "Repetition",
      "short": "repetition",
      "kind": "amount",
      "about": "1 − distinct / all sequences of three words; missing below 30 words.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.repetition_apart",
      "type": "number",
      "title": "Repetition, parts apart",
      "short": "repetition apart",
      "kind": "amount",
      "about": "The same within the thinking and within the answer: an answer that says the thinking once more repeats nothing. Missing where text.repetition is at most 0.2.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.compression",
      "type": "number",
      "title": "Compression",
      "short": "compression",
      "kind": "amount",
      "about": "Length / compressed length (LZ4) of the last 10,000 characters.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.script",
      "type": "string",
      "title": "Script",
      "short": "script",
      "kind": "category",
      "about": "The script of most letters of the response: Latin, Han, Cyrillic, …",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "text.foreign",
      "type": "number",
      "title": "Foreign script",
      "short": "foreign",
      "kind": "amount",
      "about": "Share of its letters, without code and formulas, in a script or language that the prompt does not use.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.garbled",
      "type": "number",
      "title": "Garbled",
      "short": "garbled",
      "kind": "amount",
      "about": "Share of broken characters: U+FFFD, control, private and unassigned ones, words of mixed alphabets.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.copies",
      "type": "integer",
      "title": "Copies",
      "short": "copies",
      "kind": "amount",
      "about": "Other samples of its group with the same response, white space and case aside.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.similar",
      "type": "number",
      "title": "Similarity",
      "short": "similar",
      "kind": "amount",
      "about": "Greatest similarity (0 to 1, of 3-grams of words, estimated) to another response of its group.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.alike",
      "type": "number",
      "title": "Alike",
      "short": "alike",
      "kind": "amount",
      "about": "Share of its group that has the same response or nearly (similarity from 0.65 on), itself counted.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.answer",
      "type": "string",
      "title": "Final answer",
      "short": "answer",
      "kind": "text",
      "about": "The final answer as written: the last \\boxed{}, <answer>, ####, or what follows “the answer is”.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "text.golden",
      "type": "string",
      "title": "Golden answer",
      "short": "golden",
      "kind": "category",
      "about": "equal, contained or absent: the golden answer against the final answer, then the response.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "text.format",
      "type": "strings",
      "title": "Form",
      "short": "form",
      "kind": "category",
      "about": "What is odd in its form: unclosed_think, empty_think, answer_before_think, several_answers, no_answer, empty_answer.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "text.tool_repeats",
      "type": "integer",
      "title": "Repeated calls",
      "short": "repeats",
      "kind": "amount",
      "about": "Longest run of the same tool call with the same arguments; missing without calls.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.tool_errors",
      "type": "integer",
      "title": "Tool errors",
      "short": "errors",
      "kind": "amount",
      "about": "Tool results that are errors; missing without results.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "text.flags",
      "type": "strings",
      "title": "Flags",
      "short": "flags",
      "kind": "category",
      "about": "Names of the patterns that match; docs/insights.md has their table.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "in",
        "not in",
        "contains",
        "icontains",
        "matches",
        "not contains",
        "not icontains",
        "not matches",
        "is missing",
        "is not missing"
      ],
      "values": []
    },
    {
      "name": "token.entropy",
      "type": "number",
      "title": "Entropy",
      "short": "entropy",
      "kind": "amount",
      "about": "Mean entropy of its tokens in nats, where recorded.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "token.logprob",
      "type": "number",
      "title": "Log-probability",
      "short": "logprob",
      "kind": "amount",
      "about": "Mean log-probability that the sampler gave its tokens.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "token.ratio",
      "type": "number",
      "title": "Disagreement",
      "short": "ratio",
      "kind": "amount",
      "about": "Mean |trainer − sampler| log-probability of the tokens that are not masked.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "token.ratio_max",
      "type": "number",
      "title": "Greatest disagreement",
      "short": "ratio max",
      "kind": "amount",
      "about": "The greatest of them.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    },
    {
      "name": "token.confident_run",
      "type": "integer",
      "title": "Confident run",
      "short": "confident run",
      "kind": "amount",
      "about": "Longest run of tokens that the sampler was 99 % sure of.",
      "shown": [],
      "origin": "feature",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ],
      "values": []
    }
  ],
  "spaces": [
    {
      "prefix": "metrics.",
      "title": "Metrics",
      "about": "Numbers about the sample, under the trainer's names.",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ]
    },
    {
      "prefix": "rewards.",
      "title": "Reward components",
      "about": "The components of the reward, by name.",
      "operators": [
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "not in",
        "is missing",
        "is not missing",
        "is nan",
        "is not nan"
      ]
    }
  ],
  "operators": [
    {
      "word": "=",
      "operand": "value",
      "about": "the value is the same"
    },
    {
      "word": "!=",
      "operand": "value",
      "about": "the value is another"
    },
    {
      "word": "<",
      "operand": "value",
      "about": "less"
    },
    {
      "word": "<=",
      "operand": "value",
      "about": "less, or the same"
    },
    {
      "word": ">",
      "operand": "value",
      "about": "greater"
    },
    {
      "word": ">=",
      "operand": "value",
      "about": "greater, or the same"
    },
    {
      "word": "in",
      "operand": "values",
      "about": "one of these"
    },
    {
      "word": "not in",
      "operand": "values",
      "about": "none of these"
    },
    {
      "word": "contains",
      "operand": "text",
      "about": "this text is somewhere in it"
    },
    {
      "word": "icontains",
      "operand": "text",
      "about": "this text is somewhere in it, in small or capital letters"
    },
    {
      "word": "matches",
      "operand": "pattern",
      "about": "this pattern is somewhere in it"
    },
    {
      "word": "not contains",
      "operand": "text",
      "about": "this text is nowhere in it"
    },
    {
      "word": "not icontains",
      "operand": "text",
      "about": "this text is nowhere in it, in small or capital letters"
    },
    {
      "word": "not matches",
      "operand": "pattern",
      "about": "this pattern is nowhere in it"
    },
    {
      "word": "is missing",
      "operand": "nothing",
      "about": "the source did not say"
    },
    {
      "word": "is not missing",
      "operand": "nothing",
      "about": "the source did say"
    },
    {
      "word": "is nan",
      "operand": "nothing",
      "about": "the source said NaN"
    },
    {
      "word": "is not nan",
      "operand": "nothing",
      "about": "the source said another number than NaN"
    }
  ],
  "joiners": [
    "and",
    "or"
  ],
  "negation": "not",
  "aliases": {
    "n": "index"
  },
  "sorts": [
    "n",
    "address",
    "response_length",
    "length",
    "tokens"
  ]
};
