import { useEffect } from "react";
import { whenIdle } from "../../lib/idle";
import { titleFor } from "../../state/title";
import { useViewPart } from "../../state/view";

/** The browser's tab names the sample that is read, once there is time for it. */
export function useSampleTitle(runName: string, address: string): void {
  const page = useViewPart("page");
  useEffect(
    () =>
      whenIdle(() => {
        document.title = titleFor(page, runName, address);
      }),
    [address, page, runName],
  );
}
