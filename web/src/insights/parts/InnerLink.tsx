import type { AnchorHTMLAttributes } from "react";
import type { View } from "../../state/url";
import { go, hrefFor } from "../../state/view";

interface InnerLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  to: Partial<View>;
}

/** A link to another view of the page: a plain click goes there without loading it anew, any other is the browser's. */
export function InnerLink({ to, children, ...rest }: InnerLinkProps) {
  return (
    <a
      {...rest}
      href={hrefFor(to)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
