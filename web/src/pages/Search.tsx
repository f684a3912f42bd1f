export default function SearchPage() {
  return <section aria-label="Search" />;
}
