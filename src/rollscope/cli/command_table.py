"""The table of commands: what each takes and which function runs it. None of these functions is imported here."""

from __future__ import annotations

from rollscope.cli.arguments import Command, Option, Positional, setting_options
from rollscope.settings import EVERY, LIST, OPEN, QUERY, SERVE, VIEW

PATH = Positional("path", "PATH", "A run, or a folder of runs.", is_path=True)
PATHS = Positional("paths", "PATH", "Runs, or folders of runs.", many=True, is_path=True)

JSON = Option("--json", "Print JSON instead of a table.")
RUN = Option("--run", "If the path holds several runs: only this one, by name or id.", "NAME")
SPLIT = Option("--split", "train, or eval/NAME.", "SPLIT")
STEP = Option("--step", "Only this step.", "N", type=int, excludes="steps")
STEPS = Option(
    "--steps", "Only these steps: 10:20 is 10 to 19; 90: and :10 leave an end open.", "A:B", excludes="steps"
)
WHERE = Option("--where", "Only samples that match this filter; see docs/filter-language.md.", "EXPR")
SORT = Option("--sort", "Sort by this field, such as reward or metrics.correct; -KEY for descending.", "KEY|-KEY")
DISCARDED = Option("--discarded", "Only samples that were not trained on.", excludes="kept")
PHRASES_IN = Option(
    "--in", "Which text to compare: response, prompt, golden, or text (all of them).", "FIELD", default="response"
)
#: How many phrases, and how many fields, are reported by default.
PHRASES = 30
OPENING = setting_options(OPEN, EVERY)
LISTING = setting_options(LIST)
QUERYING = setting_options(QUERY)
SERVING = setting_options(SERVE, VIEW)

COMMANDS: tuple[Command, ...] = (
    Command(
        "view",
        "Open runs in the web viewer; the default command",
        "rollscope.cli.commands.viewers:view",
        (PATHS,),
        (*SERVING, Option("--tui", "Use the terminal viewer instead."), *QUERYING, *OPENING),
        ("rollscope runs/", "rollscope view runs/my-run --host 127.0.0.1 --port 0 --no-browser"),
    ),
    Command(
        "tui",
        "Open a run in the terminal viewer",
        "rollscope.cli.commands.viewers:tui",
        (PATH,),
        (
            RUN,
            Option("--first", "Open at the first step instead of the last."),
            *setting_options(VIEW),
            *QUERYING,
            *OPENING,
        ),
        ("rollscope tui runs/my-run", "rollscope tui runs/my-run --first"),
    ),
    Command(
        "ls",
        "List the runs under paths: format, splits, steps, samples",
        "rollscope.cli.commands.runs:ls",
        (PATHS,),
        (JSON, *LISTING, *OPENING),
        ("rollscope ls runs/", "rollscope ls runs/ --json"),
    ),
    Command(
        "steps",
        "List a split's steps: samples, groups, rewards, size",
        "rollscope.cli.commands.samples:steps",
        (PATH,),
        (SPLIT, RUN, JSON, *LISTING, *OPENING),
        ("rollscope steps runs/my-run", "rollscope steps runs/my-run --split eval/aime24 --json"),
    ),
    Command(
        "samples",
        "List samples: reward, advantage, status, tokens, metrics",
        "rollscope.cli.commands.samples:samples",
        (PATH,),
        (
            SPLIT,
            STEP,
            STEPS,
            WHERE,
            SORT,
            Option(
                "--features", "Also show these text features, such as text.loop; separate several by commas.", "NAMES"
            ),
            DISCARDED,
            Option("--all", "Kept and discarded samples.", excludes="kept"),
            RUN,
            JSON,
            *LISTING,
            *QUERYING,
            *OPENING,
        ),
        (
            "rollscope samples runs/my-run --step 12 --sort -reward",
            "rollscope samples runs/my-run --where 'reward < 0.2 and status = \"truncated\"' --limit 0 --json",
        ),
    ),
    Command(
        "show",
        "Print one whole sample",
        "rollscope.cli.commands.show:show",
        (PATH, Positional("address", "ADDRESS", "The sample: split/step/n, such as train/12/37.")),
        (
            Option("--json", "The normalised sample, with its messages and the source record.", excludes="as"),
            Option("--raw", "The full text as one string.", excludes="as"),
            Option("--findings", "Also list the findings about it, if features have been computed.", excludes="as"),
            RUN,
            *OPENING,
        ),
        (
            "rollscope show runs/my-run train/12/37",
            "rollscope show runs/my-run eval/aime24/40/3 --raw | less",
            "rollscope show runs/my-run train/12/37 --findings",
        ),
    ),
    Command(
        "search",
        "Find text in every sample",
        "rollscope.cli.commands.search:search",
        (PATH, Positional("pattern", "PATTERN", "The text to find, as a reader sees it.")),
        (
            Option("--regex", "PATTERN is a regular expression (RE2)."),
            Option("--ignore-case", "Ignore case."),
            Option(
                "--in",
                "Where to look: prompt, response, golden, text (all of them); separate several by commas.",
                "FIELDS",
            ),
            WHERE,
            SPLIT,
            STEP,
            STEPS,
            RUN,
            JSON,
            *LISTING,
            *QUERYING,
            *OPENING,
        ),
        (
            "rollscope search runs/my-run 'I cannot' --in response",
            "rollscope search runs/my-run '\\\\boxed\\{\\d+\\}' --regex --where 'reward = 0' --json",
        ),
    ),
    Command(
        "findings",
        "Report what is worth reading: loops, broken text, rewarded wrong answers, spreading phrases …",
        "rollscope.cli.commands.findings:findings",
        (PATH,),
        (
            SPLIT,
            Option("--kind", "Only this kind, such as loop or pattern:refusal.", "KIND"),
            Option("--at-least", "Only findings at least this serious.", "SEVERITY", choices=("high", "medium", "low")),
            Option(
                "--fail-on",
                "Exit with status 3 if a finding is at least this serious.",
                "SEVERITY",
                choices=("high", "medium", "low"),
            ),
            Option("--follow", "Keep running until the run has ended, and report new findings."),
            RUN,
            JSON,
            *OPENING,
        ),
        (
            "rollscope findings runs/my-run",
            "rollscope findings runs/my-run --at-least medium",
            "rollscope findings runs/my-run --split train --fail-on high --json",
        ),
    ),
    Command(
        "diff",
        "Compare the responses of two samples word by word",
        "rollscope.cli.commands.insights.diff_and_group:diff",
        (
            PATH,
            Positional("a", "A", "A sample: split/step/n, such as train/12/37."),
            Positional("b", "B", "The other one."),
        ),
        (Option("--other", "The run that B is in, if it is a different one.", "PATH"), RUN, JSON, *OPENING),
        (
            "rollscope diff runs/my-run train/12/37 train/40/37",
            "rollscope diff runs/a train/0/1 train/0/1 --other runs/b",
        ),
    ),
    Command(
        "group",
        "Show all responses of a sample's group as a tree: what they share, and where rewards diverge",
        "rollscope.cli.commands.insights.diff_and_group:group",
        (PATH, Positional("address", "ADDRESS", "Any sample of the group: split/step/n, such as train/12/37.")),
        (RUN, JSON, *OPENING),
        ("rollscope group runs/my-run train/12/37",),
    ),
    Command(
        "compare",
        "Compare two runs prompt by prompt: means, confidence interval, test, what was fixed and what broke",
        "rollscope.cli.commands.insights.compare:compare",
        (
            Positional("run_a", "RUN_A", "A run.", is_path=True),
            Positional("run_b", "RUN_B", "The run to compare with it.", is_path=True),
        ),
        (
            SPLIT,
            STEPS,
            WHERE,
            Option(
                "--only",
                "List only prompts whose mean is lower or higher in RUN_B, or those of a class.",
                "WHICH",
                choices=("lower", "higher", "fixed", "broken", "both", "neither", "mixed", "unknown"),
            ),
            Option(
                "--fail-on-regression",
                "Exit with status 3 if the mean of RUN_B is lower than that of RUN_A by more than this.",
                "X",
                type=float,
            ),
            JSON,
            *LISTING,
            *QUERYING,
            *OPENING,
        ),
        (
            "rollscope compare runs/a runs/b --split eval/aime24",
            "rollscope compare runs/a runs/b --only lower --limit 20",
            "rollscope compare runs/a runs/b --steps 90: --fail-on-regression 0.02 --json",
        ),
    ),
    Command(
        "prompt",
        "Show the samples of one prompt over all steps, here and in other runs",
        "rollscope.cli.commands.insights.prompt:prompt",
        (PATH, Positional("address", "ADDRESS", "A sample with the prompt: split/step/n, such as train/12/37.")),
        (
            Option("--other", "Another run, or a folder of runs, to look for the prompt in.", "PATH"),
            RUN,
            JSON,
            *OPENING,
        ),
        (
            "rollscope prompt runs/my-run train/12/37",
            "rollscope prompt runs/ train/12/37 --run my-run --json",
        ),
    ),
    Command(
        "contrast",
        "Report what tells two selections of samples apart: phrases, numbers, categories",
        "rollscope.cli.commands.insights.contrast:contrast",
        (PATH,),
        (
            Option("--a", "A filter: the first selection.", "EXPR"),
            Option("--b", "A filter: the second selection; default: the rest.", "EXPR"),
            Option(
                "--a-steps", "Only these steps of the first: 10:20 is 10 to 19; 90: and :10 leave an end open.", "A:B"
            ),
            Option("--b-steps", "Only these steps of the second.", "A:B"),
            Option("--other", "The run of the second selection, if it is a different one.", "PATH"),
            PHRASES_IN,
            SPLIT,
            RUN,
            JSON,
            *setting_options(LIST, limit=PHRASES),
            *QUERYING,
            *OPENING,
        ),
        (
            "rollscope contrast runs/my-run --a 'reward > 0.9' --b 'reward < 0.1'",
            "rollscope contrast runs/a --other runs/b --split eval/aime24 --json",
        ),
    ),
    Command(
        "changes",
        "Report what changed between the first and the last steps, or any two windows of steps",
        "rollscope.cli.commands.insights.contrast:changes",
        (PATH,),
        (
            Option("--from", "The earlier steps, side b: 0:10 is 0 to 9; default: the first tenth.", "A:B"),
            Option("--to", "The later steps, side a; default: the last tenth.", "A:B"),
            PHRASES_IN,
            WHERE,
            SPLIT,
            RUN,
            JSON,
            *setting_options(LIST, limit=PHRASES),
            *QUERYING,
            *OPENING,
        ),
        (
            "rollscope changes runs/my-run",
            "rollscope changes runs/my-run --from 0:10 --to 90:100 --where 'reward > 0.9'",
        ),
    ),
    Command(
        "tokens",
        "Show what is known about each token: ratios, divergences and outliers of a sample; quantiles of steps by position",
        "rollscope.cli.commands.insights.tokens:tokens",
        (PATH, Positional("address", "ADDRESS", "A sample: split/step/n. Without one, all steps.", optional=True)),
        (
            STEPS,
            Option(
                "--value",
                "Which value: log_ratio (trainer and sampler, without its sign), entropy, logprob, mismatch_kl, reference_kl.",
                "NAME",
                ("log_ratio", "entropy", "logprob", "mismatch_kl", "reference_kl"),
                default="log_ratio",
            ),
            WHERE,
            SPLIT,
            RUN,
            JSON,
            *LISTING,
            *QUERYING,
            *OPENING,
        ),
        ("rollscope tokens runs/my-run", "rollscope tokens runs/my-run train/12/37 --json"),
    ),
    Command(
        "metrics",
        "Print logged and derived series",
        "rollscope.cli.commands.metrics:metrics",
        (PATH,),
        (
            Option("--name", "Only series whose name matches, such as 'env/*'.", "GLOB"),
            RUN,
            JSON,
            *LISTING,
            *OPENING,
        ),
        ("rollscope metrics runs/my-run", "rollscope metrics runs/my-run --name 'env/all/*' --json"),
    ),
    Command(
        "sql",
        "Run read-only SQL over the tables samples, steps, metrics, runs",
        "rollscope.cli.commands.sql:sql",
        (PATH, Positional("query", "QUERY", "A SELECT statement (DuckDB's dialect).")),
        (RUN, JSON, *LISTING, *QUERYING, *OPENING),
        ("rollscope sql runs/my-run 'SELECT step, avg(reward) FROM samples GROUP BY step ORDER BY step'",),
    ),
    Command(
        "export",
        "Write a selection of samples to a Parquet, JSONL or CSV file",
        "rollscope.cli.commands.export:export",
        (PATH,),
        (
            Option(
                "--to",
                "The file to write, outside the run; its ending (.parquet, .jsonl, .csv) decides the format.",
                "FILE",
                required=True,
            ),
            SPLIT,
            STEP,
            STEPS,
            WHERE,
            SORT,
            DISCARDED,
            Option("--kept", "Only samples that were trained on.", excludes="kept"),
            Option("--text", "Also write prompts and responses, not only the numbers."),
            Option("--features", "Also write the text features; see docs/insights.md."),
            Option(
                "--as",
                "Write training data or trajectories (.jsonl) instead of a table: sft: conversations; dpo: the best and the "
                "worst of each group; kto: completions with a label; atif: trajectories. A manifest is written beside it.",
                "RECIPE",
                choices=("sft", "dpo", "kto", "atif"),
            ),
            Option("--margin", "Of dpo: rewards must differ by more than this.", "X", type=float, default=0.0),
            Option("--keep-secrets", "Do not replace known kinds of keys and tokens in texts (with --as)."),
            RUN,
            JSON,
            *QUERYING,
            *OPENING,
        ),
        (
            "rollscope export runs/my-run --to bad.parquet --where 'reward < 0.2' --text",
            "rollscope export runs/my-run --to good.jsonl --as sft --split train --steps 90: --where 'reward > 0.9'",
            "rollscope export runs/my-run --to pairs.jsonl --as dpo --margin 0.2",
        ),
    ),
    Command(
        "convert",
        "Convert a run of any format to Rollscope's own",
        "rollscope.cli.commands.export:convert",
        (PATH,),
        (
            Option("--to", "The folder to write into: new or empty, and outside the run.", "DIR", required=True),
            RUN,
            JSON,
            *OPENING,
        ),
        ("rollscope convert runs/my-run --to converted",),
    ),
    Command(
        "note",
        "Write a note on a sample: a text, labels, a rating; kept outside the run",
        "rollscope.cli.commands.notes:note",
        (
            PATH,
            Positional("address", "ADDRESS", "The sample: split/step/n, such as train/12/37."),
            Positional("text", "TEXT", "What to say about it.", optional=True),
        ),
        (
            Option("--label", "A label; give it again for another one.", "LABEL", many=True),
            Option("--rating", "From 1 to 5.", "N", type=int),
            Option("--author", "Who writes; default: your user name.", "NAME", default=""),
            Option("--remove", "Remove what you wrote on this sample."),
            RUN,
            JSON,
            *OPENING,
        ),
        (
            "rollscope note runs/my-run train/12/37 'flatters the judge' --label hack --rating 1",
            "rollscope note runs/my-run train/12/37 --remove",
        ),
    ),
    Command(
        "notes",
        "List the notes on a run's samples",
        "rollscope.cli.commands.notes:notes",
        (PATH,),
        (RUN, JSON, *LISTING, *OPENING),
        ("rollscope notes runs/my-run", "rollscope samples runs/my-run --where 'label = \"hack\"'"),
    ),
    Command(
        "index",
        "Build or refresh the index, with a progress bar",
        "rollscope.cli.commands.runs:index",
        (PATHS,),
        (Option("--features", "Also compute the features of all texts."), JSON, *OPENING),
        ("rollscope index runs/", "rollscope index runs/my-run --features"),
    ),
    Command(
        "doctor",
        "Report what was detected and why, which lines were skipped, which files no format claims",
        "rollscope.cli.commands.runs:doctor",
        (PATHS,),
        (JSON, *OPENING),
        ("rollscope doctor runs/my-run",),
    ),
    Command(
        "demo",
        "Write a small but complete run through the real recorder and open it",
        "rollscope.cli.commands.viewers:demo",
        (Positional("directory", "DIR", "Where to write it; default: ./rollscope-demo", optional=True, is_path=True),),
        (
            Option("--no-serve", "Only write the run."),
            *SERVING,
            Option("--tui", "Use the terminal viewer."),
            *QUERYING,
            *OPENING,
        ),
        ("rollscope demo", "rollscope demo /tmp/demo --no-serve"),
    ),
    Command(
        "completion",
        "Print a completion script for your shell",
        "rollscope.cli.commands.completion:completion",
        (Positional("shell", "SHELL", "bash, zsh or fish.", choices=("bash", "zsh", "fish")),),
        setting_options(EVERY),
        (
            'eval "$(rollscope completion bash)"',
            "rollscope completion fish > ~/.config/fish/completions/rollscope.fish",
        ),
    ),
)

BY_NAME = {command.name: command for command in COMMANDS}
