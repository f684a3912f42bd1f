/** JSON in which an integer that no JavaScript number holds exactly is a text: shown as it was written, not rounded. */

/** Such digits where no text need be: our JSON has no spaces. A wrong guess costs only a second look. */
const SUSPECT = /[:,[]-?[0-9]{16,}[,\]}]/;
const INTEGER = /([:,[])(-?[0-9]{16,})(?=[,\]}])/g;

export function parseExact(text: string): unknown {
  return JSON.parse(SUSPECT.test(text) ? withoutLongIntegers(text) : text);
}

function withoutLongIntegers(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    pieces.push(text.slice(at, end).replace(INTEGER, asText));
    if (quote < 0) break;
    at = endOfText(text, quote);
    pieces.push(text.slice(quote, at));
  }
  return pieces.join("");
}

function asText(_: string, before: string, digits: string): string {
  return Number.isSafeInteger(Number(digits)) ? before + digits : `${before}"${digits}"`;
}

/** Behind the quote that ends the text which begins here: no escape hides it. */
function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
