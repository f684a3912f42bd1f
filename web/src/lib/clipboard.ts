/** Text to the clipboard. Plain-http pages on a remote host have no clipboard interface: a hidden field does it there. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  try {
    // Deprecated, and the only way outside a secure context.
    document.execCommand("copy");
  } finally {
    field.remove();
  }
}
