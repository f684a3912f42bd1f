import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../series/chartSettings";
import { lineOf, type SeriesData } from "../series/series";
import { chartCsv, fileName } from "./chartCsv";

const series = (points: [number, number | null][], more: Partial<SeriesData> = {}): SeriesData => ({
  name: "m",
  steps: points.map(([step]) => step),
  values: points.map(([, value]) => value),
  times: [],
  nonfinite: {},
  ...more,
});

const line = (data: SeriesData, span: number | null = null, axis: "step" | "wall" = "step") =>
  lineOf(data, { axis, span, maxStep: null }, DEFAULT_SETTINGS);

describe("chartCsv", () => {
  it("has a column per run and leaves missing values empty", () => {
    const lines = [
      {
        run: "a",
        line: line(
          series([
            [0, 1],
            [1, null],
            [2, 3],
          ]),
        ),
      },
      { run: "b", line: line(series([[1, 5]])) },
    ];
    expect(chartCsv(lines, "step", null)).toBe("step,a,b\r\n0,1,\r\n1,,5\r\n2,3,\r\n");
  });

  it("names what the trainer logged where it was no number", () => {
    const data = series([[0, null]], { nonfinite: { "0": "NaN" } });
    expect(chartCsv([{ run: "a", line: line(data) }], "step", null)).toBe("step,a\r\n0,NaN\r\n");
  });

  it("adds the smoothed column, and the steps on a time axis", () => {
    const data = series(
      [
        [0, 1],
        [1, 3],
      ],
      { times: [100, 200] },
    );
    expect(
      chartCsv(
        [
          { run: "a", line: line(data, 2, "wall") },
          { run: "b", line: line(series([]), 2, "wall") },
        ],
        "wall",
        2,
      ),
    ).toBe("wall_time_s,a (step),b (step),a,a (EMA 2),b\r\n100,0,,1,1,\r\n200,1,,3,2.333333333333333,\r\n");
  });

  it("quotes names and never lets a spreadsheet run one", () => {
    const hostile = [
      { run: '=HYPERLINK("http://x")', line: line(series([])) },
      { run: "a,b", line: line(series([])) },
    ];
    expect(chartCsv(hostile, "step", null)).toBe('step,"\'=HYPERLINK(""http://x"")","a,b"\r\n');
  });
});

describe("fileName", () => {
  it("is readable and safe", () => {
    expect(fileName("env/all/reward total", "csv")).toBe("env_all_reward_total.csv");
    expect(fileName("../../etc", "png")).toBe("etc.png");
    expect(fileName("eval/aime24/pass@1", "csv")).toBe("eval_aime24_pass@1.csv");
    expect(fileName("///", "csv")).toBe("chart.csv");
  });
});
