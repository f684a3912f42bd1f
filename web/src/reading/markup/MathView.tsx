import { useLayoutEffect, useRef } from "react";
import styles from "../text/RichText.module.css";
import { lazyModule, useModule } from "./useLazyModule";

const typesetter = lazyModule(() => import("./typeset"));

/** A formula. Its source is shown until it is set, and stays as its tooltip. */
export function MathView({ tex, display, source }: { tex: string; display: boolean; source: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const module = useModule(typesetter);
  useLayoutEffect(() => {
    if (module && element.current) return module.typeset(element.current, tex, display);
    return undefined;
  }, [module, tex, display]);
  return (
    <span
      key={source}
      className={display ? styles.display : styles.math}
      role="math"
      aria-label={tex}
      title={source}
      data-math=""
    >
      <span ref={element}>{source}</span>
    </span>
  );
}
