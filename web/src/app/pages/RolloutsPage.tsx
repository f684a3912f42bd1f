import { SamplesPage } from "../samples/SamplesPage";
import { ROLLOUTS } from "../samples/selection";
import { Empty } from "../ui/States";

export default function RolloutsPage() {
  return (
    <SamplesPage
      query={ROLLOUTS}
      nothing={
        <Empty icon="search" title="No samples yet">
          <p>This run has no rollouts. As soon as training writes some, they appear here by themselves.</p>
        </Empty>
      }
    />
  );
}
