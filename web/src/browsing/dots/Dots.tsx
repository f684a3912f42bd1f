import { memo } from "react";
import { fieldName } from "../../api/fields";
import { formatValue } from "../../lib/numbers";
import { colourAt, colourOf, placeOn, type Scale } from "../../reading/outcome/colourScale";
import styles from "./Dots.module.css";
import { type DotLayout, stripShares } from "./dotLayout";

interface DotsProps {
  field: string;
  samples: readonly number[];
  values: readonly (number | null)[];
  scale: Scale;
  layout: DotLayout;
  /** The open sample's place in its step: its dot has a ring. */
  current: number | null;
}

/** One column of a group: a coloured dot per sample, in the samples' order. Clicks are handled by the list, which reads
 * `data-sample`; a thousand dots need no thousand handlers. */
export const Dots = memo(function Dots({ field, samples, values, scale, layout, current }: DotsProps) {
  const name = fieldName(field);
  const said = `${name}: ${values.slice(0, 64).map(formatValue).join(", ")}`;
  if (layout.kind === "strip") {
    const shares = stripShares(values.map((value) => (value === null ? null : placeOn(scale, value))));
    return (
      <div
        className={styles.strip}
        style={{ width: layout.width }}
        role="img"
        aria-label={said}
        title={`${name} of ${values.length} samples`}
      >
        {shares.map(({ place, share }) => (
          <i
            key={String(place)}
            style={{
              width: `${share * 100}%`,
              background: place === null ? "var(--scale-none)" : colourAt(scale, place),
            }}
          />
        ))}
      </div>
    );
  }
  return (
    <div
      className={styles.dots}
      role="img"
      aria-label={said}
      style={{
        width: layout.width,
        gridTemplateColumns: `repeat(${layout.perRow}, ${layout.size}px)`,
        gap: layout.pitch - layout.size,
      }}
    >
      {samples.map((sample, at) => (
        <i
          key={sample}
          data-sample={sample}
          data-current={sample === current || undefined}
          title={`${name} ${formatValue(values[at])} · sample ${sample}`}
          style={{ width: layout.size, height: layout.size, background: colourOf(scale, values[at]) }}
        />
      ))}
    </div>
  );
});
