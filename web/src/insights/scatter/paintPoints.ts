/** Points on a canvas: in the run's order, so that no environment lies on top of another one as a whole. */

interface Painted {
  readonly width: number;
  readonly height: number;
  readonly px: Float32Array;
  readonly py: Float32Array;
  readonly codes: readonly number[];
  /** By code, as canvas takes them. */
  readonly colours: readonly string[];
}

/** Discs where they can be told apart, squares where there are so many that only their density is seen. */
const FEW = 5_000;
/** Points of one slice: about four milliseconds of painting. */
const SLICE = 8_000;

/** Paints a slice in each frame, so that a hundred thousand points never hold the page up. Returns a way to stop. */
export function paint(canvas: HTMLCanvasElement, { width, height, px, py, codes, colours }: Painted): () => void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return () => undefined;
  context.scale(ratio, ratio);
  const isFew = px.length <= FEW;
  const size = isFew ? 3 : px.length > 30_000 ? 1.6 : 2.2;
  context.globalAlpha = px.length <= 500 ? 0.8 : isFew ? 0.55 : px.length > 30_000 ? 0.35 : 0.45;
  const from = (start: number): void => {
    let last = -1;
    const end = Math.min(px.length, start + SLICE);
    for (let nth = start; nth < end; nth++) {
      const code = codes[nth] as number;
      if (code !== last) {
        context.fillStyle = colours[code] ?? "grey";
        last = code;
      }
      const [x, y] = [px[nth] as number, py[nth] as number];
      if (isFew) {
        context.beginPath();
        context.arc(x, y, size, 0, 2 * Math.PI);
        context.fill();
      } else context.fillRect(x - size / 2, y - size / 2, size, size);
    }
    if (end < px.length) frame = requestAnimationFrame(() => from(end));
  };
  let frame = 0;
  from(0);
  return () => cancelAnimationFrame(frame);
}
