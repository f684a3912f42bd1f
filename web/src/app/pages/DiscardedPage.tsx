import { DiscardSummary } from "../../browsing/DiscardSummary";
import { DISCARDED } from "../../state/selection";
import { Empty } from "../../ui/States";
import { SamplesPage } from "./SamplesPage";

export default function DiscardedPage() {
  return (
    <SamplesPage
      query={DISCARDED}
      summary={(browser) => <DiscardSummary steps={browser.allSteps} step={browser.step?.step ?? null} />}
      nothing={
        <Empty icon="check" title="Nothing was discarded">
          <p>Every sample of this run was trained on, or the run does not say which were not.</p>
        </Empty>
      }
    />
  );
}
