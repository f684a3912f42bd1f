import { DiscardSummary } from "../samples/DiscardSummary";
import { SamplesPage } from "../samples/SamplesPage";
import { DISCARDED } from "../samples/selection";
import { Empty } from "../ui/States";

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
