import { Fragment, memo } from "react";
import { MAX_PART_CHARS } from "../../api/hooks";
import { CodeBlock } from "../markup/CodeBlock";
import { splitFences } from "../markup/fences";
import { MathView } from "../markup/MathView";
import { splitMath } from "../markup/math";
import { lazyModule, useModule } from "../markup/useLazyModule";
import styles from "./RichText.module.css";
import type { RenderSettings } from "./renderSettings";

/** Longer texts are shown as they are: formatting them would hold up the page. */
export const RICH_LIMIT = MAX_PART_CHARS;

const markdown = lazyModule(() => import("../markup/MarkdownView"));

/** A text as the Render menu says: markdown, formulas, code, each on or off. Untrusted: it only ever becomes text nodes. */
export const RichText = memo(function RichText({ text, render }: { text: string; render: RenderSettings }) {
  const module = useModule(markdown, render.markdown);
  if (text.length > RICH_LIMIT) return <div className={styles.plain}>{text}</div>;
  if (render.markdown && module) {
    return <module.MarkdownView text={text} math={render.latex} code={render.code} />;
  }
  return <Unmarked text={text} render={render} />;
});

/** Without markdown: the text as it is, with code blocks and formulas where those are on. */
function Unmarked({ text, render }: { text: string; render: RenderSettings }) {
  const blocks = render.code ? splitFences(text) : [{ kind: "text" as const, text }];
  return (
    <div className={styles.plain}>
      {blocks.map((block, key) =>
        block.kind === "code" ? (
          <CodeBlock key={key} code={block.code} language={block.language} />
        ) : (
          <Fragment key={key}>{render.latex ? <WithMath text={block.text} /> : block.text}</Fragment>
        ),
      )}
    </div>
  );
}

function WithMath({ text }: { text: string }) {
  return (
    <>
      {splitMath(text).map((piece, key) =>
        piece.kind === "text" ? (
          <Fragment key={key}>{piece.text}</Fragment>
        ) : (
          <MathView key={key} tex={piece.tex} display={piece.display} source={piece.source} />
        ),
      )}
    </>
  );
}
