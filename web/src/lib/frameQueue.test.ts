// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { inTurn } from "./frameQueue";

const frames = (count: number): Promise<void> =>
  count === 0 ? Promise.resolve() : new Promise((done) => requestAnimationFrame(() => done(frames(count - 1))));

it("work is done later, in the order in which it was asked for, a little in each frame", async () => {
  const done: number[] = [];
  for (let nth = 0; nth < 5; nth += 1)
    inTurn(() => {
      done.push(nth);
      const end = performance.now() + 5; // longer than a frame's share
      while (performance.now() < end);
    });
  expect(done).toEqual([]);
  await frames(1);
  expect(done.length).toBeLessThan(5);
  await frames(8);
  expect(done).toEqual([0, 1, 2, 3, 4]);
});

it("work that was given up is not done", async () => {
  const done: string[] = [];
  const giveUp = inTurn(() => done.push("a"));
  inTurn(() => done.push("b"));
  giveUp();
  await frames(3);
  expect(done).toEqual(["b"]);
});
