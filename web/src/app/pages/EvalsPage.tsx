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
            This run has no eval samples. Evals that a trainer writes to a folder of their own open as a separate run:
            choose it at the top.
          </p>
        </Empty>
      }
    />
  );
}
