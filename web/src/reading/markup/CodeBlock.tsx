import { type ReactNode, useMemo } from "react";
import { CopyButton } from "../../ui/CopyButton";
import styles from "./CodeBlock.module.css";
import type { CodeNode } from "./highlight";
import { lazyModule, useModule } from "./useLazyModule";

const highlighter = lazyModule(() => import("./highlight"));

/** Code, monospaced; coloured once the highlighter is there. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  return (
    <div className={styles.block}>
      <div className={styles.head}>
        <span>{language || "code"}</span>
        <CopyButton quiet text={code} aria-label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <Highlighted code={code} language={language} />
      </pre>
    </div>
  );
}

export function Highlighted({ code, language }: { code: string; language: string }) {
  const module = useModule(highlighter, language !== "");
  const tree = useMemo(() => module?.highlight(code, language) ?? null, [module, code, language]);
  return <code className={styles.code}>{tree ? nodes(tree.children) : code}</code>;
}

function nodes(children: CodeNode["children"]): ReactNode[] {
  return children.map((child, key) =>
    typeof child === "string" ? (
      child
    ) : (
      <span key={key} data-scope={child.scope.split(/[._]/, 1)[0]}>
        {nodes(child.children)}
      </span>
    ),
  );
}
