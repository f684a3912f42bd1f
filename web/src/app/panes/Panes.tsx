import { type CSSProperties, type ReactNode, useRef, useSyncExternalStore } from "react";
import { type Setting, setting, useSetting } from "../../state/settings";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import styles from "./Panes.module.css";
import { clampWidth, keyboardWidth, type Side } from "./paneWidth";

interface Pane {
  width: number;
  open: boolean;
}

/** Charts stand in two columns. */
const VERY_WIDE = window.innerWidth >= 3200;

/** Until the user says otherwise: wider where the screen is, so that a list on a large one is not a strip at its edge. */
function usualWidth(least: number, share: number, most: number): number {
  return Math.round(Math.max(least, Math.min(most, window.innerWidth * share)));
}

/** What the panes are: the tree of a group stands in the list's place and needs more room. */
type PaneName = Side | "tree";

/** In a narrow window panes open over the sample; what is open there is remembered apart. */
const SETTINGS: Record<PaneName, { wide: Setting<Pane>; narrow: Setting<Pane> }> = {
  left: {
    wide: setting("pane-left", { width: usualWidth(348, 0.15, 620), open: true }),
    narrow: setting("pane-left-narrow", { width: 300, open: true }),
  },
  right: {
    wide: setting("pane-right", { width: usualWidth(330, VERY_WIDE ? 0.24 : 0.14, VERY_WIDE ? 940 : 520), open: true }),
    narrow: setting("pane-right-narrow", { width: 320, open: false }),
  },
  tree: {
    wide: setting("pane-tree", { width: usualWidth(440, 0.44, 1500), open: true }),
    narrow: setting("pane-tree-narrow", { width: 440, open: true }),
  },
};

const narrowWindow = window.matchMedia("(max-width: 1099px)");

function subscribe(listener: () => void): () => void {
  narrowWindow.addEventListener("change", listener);
  return () => narrowWindow.removeEventListener("change", listener);
}

/** A side pane's width and whether it is open, in the window as wide as it is now. */
export function usePane(name: PaneName): [Pane, (pane: Pane) => void] {
  const isNarrow = useSyncExternalStore(subscribe, () => narrowWindow.matches);
  return useSetting(SETTINGS[name][isNarrow ? "narrow" : "wide"]);
}

interface PanesProps {
  left: ReactNode;
  leftLabel: string;
  /** Whether the left one is the tree of a group. */
  isTree: boolean;
  /** null: there is none. */
  right: ReactNode;
  rightLabel: string;
  children: ReactNode;
}

/** Three panes. The side ones resize by their edge (pointer or arrow keys) and collapse, and stay so. */
export function Panes({ left, leftLabel, isTree, right, rightLabel, children }: PanesProps) {
  const leftName = isTree ? "tree" : "left";
  const [leftPane] = usePane(leftName);
  const [rightPane] = usePane("right");
  const style = {
    "--left": leftPane.open ? `${leftPane.width}px` : "var(--rail)",
    "--right": right === null ? "0px" : rightPane.open ? `${rightPane.width}px` : "var(--rail)",
  } as CSSProperties;
  return (
    <div className={styles.panes} data-tree={isTree || undefined} style={style}>
      <SidePane side="left" name={leftName} label={leftLabel}>
        {left}
      </SidePane>
      <div className={styles.middle}>{children}</div>
      {right !== null && (
        <SidePane side="right" name="right" label={rightLabel}>
          {right}
        </SidePane>
      )}
    </div>
  );
}

interface SidePaneProps {
  side: Side;
  name: PaneName;
  label: string;
  children: ReactNode;
}

function SidePane({ side, name, label, children }: SidePaneProps) {
  const [pane, setPane] = usePane(name);
  const key = side === "left" ? "b" : "m";
  if (!pane.open) {
    return (
      <aside className={styles.rail} data-side={side} aria-label={label}>
        <Button
          quiet
          icon={side === "left" ? "panel-left" : "panel-right"}
          aria-label={`Show ${label} (${key})`}
          onClick={() => setPane({ ...pane, open: true })}
        />
      </aside>
    );
  }
  return (
    <aside className={styles.side} data-side={side} aria-label={label}>
      {children}
      <Divider side={side} label={label} width={pane.width} onWidth={(width) => setPane({ ...pane, width })} />
      <button
        type="button"
        className={styles.hide}
        aria-label={`Hide ${label} (${key})`}
        title={`Hide ${label} (${key})`}
        onClick={() => setPane({ ...pane, open: false })}
      >
        <Icon name={side === "left" ? "chevron-left" : "chevron-right"} size={10} />
      </button>
    </aside>
  );
}

interface DividerProps {
  side: Side;
  label: string;
  width: number;
  onWidth: (width: number) => void;
}

function Divider({ side, label, width, onWidth }: DividerProps) {
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
