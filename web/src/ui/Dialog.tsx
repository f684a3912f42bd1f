import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "./Button";
import styles from "./Dialog.module.css";

/** A modal window. Escape and a click beside it close it; the browser keeps the focus inside and gives it back. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a <dialog> by itself; this is the click beside it.
    <dialog
      ref={dialog}
      className={styles.dialog}
      data-wide={wide || undefined}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
    >
      <div className={styles.inside}>
        <header className={styles.header}>
          <h2>{title}</h2>
          <Button quiet icon="close" aria-label="Close" onClick={() => dialog.current?.close()} />
        </header>
        <div className={styles.body}>{children}</div>
      </div>
    </dialog>
  );
}
