import { type CSSProperties, type ReactNode, useRef } from "react";
import { Button } from "../ui/Button";
import styles from "./Panes.module.css";
import { clampWidth, keyboardWidth, type Side } from "./paneWidth";
import { setting, useSetting } from "./settings";

export const leftPaneSetting = setting("pane-left", { width: 348, open: true });
export const rightPaneSetting = setting("pane-right", { width: 330, open: true });

interface PanesProps {
  left: ReactNode;
  leftLabel: string;
  right: ReactNode;
  rightLabel: string;
  children: ReactNode;
}

/** Three panes. The side ones resize by their edge (pointer or arrow keys) and collapse, and stay so. */
export function Panes({ left, leftLabel, right, rightLabel, children }: PanesProps) {
  const [leftPane] = useSetting(leftPaneSetting);
  const [rightPane] = useSetting(rightPaneSetting);
  const style = {
    "--left": leftPane.open ? `${leftPane.width}px` : "0px",
    "--right": rightPane.open ? `${rightPane.width}px` : "0px",
  } as CSSProperties;
  return (
    <div className={styles.panes} style={style}>
      <SidePane side="left" label={leftLabel}>
        {left}
      </SidePane>
      <div className={styles.middle}>{children}</div>
      <SidePane side="right" label={rightLabel}>
        {right}
      </SidePane>
    </div>
  );
}

function SidePane({ side, label, children }: { side: Side; label: string; children: ReactNode }) {
  const [pane, setPane] = useSetting(side === "left" ? leftPaneSetting : rightPaneSetting);
  if (!pane.open) {
    return (
      <div className={styles.tab} data-side={side}>
        <Button
          icon={side === "left" ? "panel-left" : "panel-right"}
          aria-label={`Show ${label} (${side === "left" ? "b" : "m"})`}
          onClick={() => setPane({ ...pane, open: true })}
        />
      </div>
    );
  }
  return (
    <aside className={styles.side} data-side={side} aria-label={label}>
      {children}
      <Divider side={side} label={label} width={pane.width} onWidth={(width) => setPane({ ...pane, width })} />
    </aside>
  );
}

function Divider({
  side,
  label,
  width,
  onWidth,
}: {
  side: Side;
  label: string;
  width: number;
  onWidth: (width: number) => void;
}) {
  const grabbed = useRef<{ x: number; width: number } | null>(null);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be dragged or focused; this is the ARIA window splitter.
    <div
      className={styles.divider}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={clampWidth(0, window.innerWidth)}
      aria-valuemax={clampWidth(Number.POSITIVE_INFINITY, window.innerWidth)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        grabbed.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (!grabbed.current) return;
        const moved = event.clientX - grabbed.current.x;
        onWidth(clampWidth(grabbed.current.width + (side === "left" ? moved : -moved), window.innerWidth));
      }}
      onPointerUp={() => {
        grabbed.current = null;
      }}
      onKeyDown={(event) => {
        const next = keyboardWidth(event.key, side, width, window.innerWidth);
        if (next === null) return;
        event.preventDefault();
        event.stopPropagation();
        onWidth(next);
      }}
    />
  );
}
