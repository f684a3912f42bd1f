/** The right pane of Rollouts, Discarded and Evals. Reads the run, step and compared runs from the view. */
export default function MetricsSidebar() {
  return <section aria-label="Metrics sidebar" />;
}
