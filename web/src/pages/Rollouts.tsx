export default function RolloutsPage() {
  return <section aria-label="Rollouts" />;
}
