import { ROLLOUTS } from "../../state/selection";
import { Empty } from "../../ui/States";
import { SamplesPage } from "./SamplesPage";

export default function RolloutsPage() {
  return (
    <SamplesPage
      query={ROLLOUTS}
      nothing={
        <Empty icon="search" title="No samples yet">
          <p>This run has no rollouts. They appear here as soon as training writes some.</p>
        </Empty>
      }
    />
  );
}
