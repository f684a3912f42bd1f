import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { placePanel } from "../../lib/panelPlacement";
import { Button, type ButtonProps } from "../Button";
import styles from "./Popover.module.css";

interface PopoverProps {
  /** The button that opens it. */
  button: ButtonProps;
  /** What the panel is, for screen readers. */
  label: string;
  align?: "start" | "end";
  /** Drawn only while open. */
  children: (close: () => void) => ReactNode;
  onOpen?: () => void;
  className?: string;
}

/** A button with a panel in the browser's top layer: no pane can cut it off, Escape and a click outside close it, and
 * the focus goes back to the button. */
export function Popover({ button, label, align = "start", children, onOpen, className }: PopoverProps) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => panel.current?.hidePopover(), []);

  const place = useCallback(() => {
    if (!anchor.current || !panel.current) return;
    const element = panel.current;
    element.style.maxHeight = "none";
    const { left, top, maxHeight } = placePanel(
      anchor.current.getBoundingClientRect(),
      { width: element.offsetWidth, height: element.offsetHeight },
      { width: window.innerWidth, height: window.innerHeight },
      align,
    );
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
    element.style.maxHeight = `${maxHeight}px`;
  }, [align]);

  useLayoutEffect(() => {
    if (open) place();
  }, [open, place]);

  useEffect(() => {
    if (!open || !panel.current) return;
    const observer = new ResizeObserver(() => place());
    observer.observe(panel.current);
    window.addEventListener("resize", place);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", place);
    };
  }, [open, place]);

  return (
    <>
      <Button {...button} ref={anchor} popoverTarget={id} aria-haspopup="dialog" aria-expanded={open} />
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={[styles.panel, className].filter(Boolean).join(" ")}
        onToggle={(event) => {
          if (event.target !== event.currentTarget) return;
          const opened = event.newState === "open";
          setOpen(opened);
          if (opened) onOpen?.();
        }}
      >
        {open && children(close)}
      </div>
    </>
  );
}
