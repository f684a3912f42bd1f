import { describe, expect, it } from "vitest";
import { placePanel } from "./panelPlacement";

const frame = { width: 1000, height: 600 };

describe("a panel of a button", () => {
  it("opens below, at the button's left edge", () => {
    expect(placePanel({ left: 100, top: 50, width: 60, height: 24 }, { width: 200, height: 300 }, frame)).toEqual({
      left: 100,
      top: 78,
      maxHeight: 514,
    });
  });

  it("stays inside the window at the right edge", () => {
    expect(placePanel({ left: 960, top: 50, width: 30, height: 24 }, { width: 200, height: 100 }, frame).left).toBe(
      792,
    );
  });

  it("opens above when only there it fits", () => {
    expect(placePanel({ left: 100, top: 560, width: 60, height: 24 }, { width: 200, height: 300 }, frame).top).toBe(
      256,
    );
  });

  it("takes the larger side and scrolls when it fits nowhere", () => {
    const placed = placePanel({ left: 100, top: 200, width: 60, height: 24 }, { width: 200, height: 2000 }, frame);
    expect(placed).toMatchObject({ top: 228, maxHeight: 364 });
  });

  it("can line up with the button's right edge", () => {
    const placed = placePanel({ left: 500, top: 0, width: 100, height: 24 }, { width: 240, height: 50 }, frame, "end");
    expect(placed.left).toBe(360);
  });
});
