import { EvalSummary } from "../../browsing/EvalSummary";
import { EVALS } from "../../state/selection";
import { Empty } from "../../ui/States";
import { SamplesPage } from "./SamplesPage";

export default function EvalsPage() {
  return (
    <SamplesPage
      query={EVALS}
      summary={(browser) => <EvalSummary browser={browser} />}
      nothing={
        <Empty icon="search" title="No evals">
          <p>
            This run has no eval samples; sets that it has would appear here. A trainer that writes them into a folder
            of their own makes another run of them: choose it at the top.
          </p>
        </Empty>
      }
    />
  );
}
