export default function RunPage() {
  return <section aria-label="Run" />;
}
