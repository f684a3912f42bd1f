export default function DiscardedPage() {
  return <section aria-label="Discarded" />;
}
