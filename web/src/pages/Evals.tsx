import { EvalSummary } from "../samples/EvalSummary";
import { SamplesPage } from "../samples/SamplesPage";
import { EVALS } from "../samples/selection";
import { Empty } from "../ui/States";

export default function EvalsPage() {
  return (
    <SamplesPage
      query={EVALS}
      summary={(browser) => <EvalSummary browser={browser} />}
      nothing={
        <Empty icon="search" title="No evals">
          <p>This run has no eval samples. Evaluators that the recorder knows of appear here, one set each.</p>
        </Empty>
      }
    />
  );
}
