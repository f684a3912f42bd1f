export default function MetricsPage() {
  return <section aria-label="Metrics" />;
}
