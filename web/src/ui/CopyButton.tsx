import { useEffect, useState } from "react";
import { copyText } from "../lib/clipboard";
import { Button, type ButtonProps } from "./Button";

/** Copies, and says so for a moment. `text` may be a function, for text that costs something to make. */
export function CopyButton({
  text,
  children,
  ...rest
}: { text: string | (() => string | Promise<string>) } & ButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 1200);
    return () => window.clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      icon={copied ? "check" : "copy"}
      {...rest}
      onClick={async (event) => {
        event.stopPropagation();
        await copyText(typeof text === "function" ? await text() : text);
        setCopied(true);
      }}
    >
      {children && (copied ? "Copied" : children)}
    </Button>
  );
}
