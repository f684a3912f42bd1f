export default function EvalsPage() {
  return <section aria-label="Evals" />;
}
