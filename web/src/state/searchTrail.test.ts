import { describe, expect, it } from "vitest";
import { alongTrail, setTrail } from "./searchTrail";

const hit = (address: string) => ({ address, find: "x" });

describe("the trail of a search", () => {
  it("leads from sample to sample, over several hits in one", () => {
    setTrail("demo", ["train/0/1", "train/0/1", "train/3/2", "train/9/0"].map(hit));
    expect(alongTrail("demo", "train/0/1", 1)).toEqual(hit("train/3/2"));
    expect(alongTrail("demo", "train/3/2", -1)).toEqual(hit("train/0/1"));
  });

  it("ends at both ends, and is of its run and its samples", () => {
    expect(alongTrail("demo", "train/9/0", 1)).toBeNull();
    expect(alongTrail("demo", "train/0/1", -1)).toBeNull();
    expect(alongTrail("other", "train/0/1", 1)).toBeNull();
    expect(alongTrail("demo", "train/5/5", 1)).toBeNull();
  });
});
