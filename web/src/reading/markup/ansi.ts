/** Terminal colours (ANSI escape sequences) as styled stretches of text. Only colours and weight are understood; every
 * other sequence is shown as the characters it is made of, so that nothing is hidden. DOM-free: no markup is made here. */

interface AnsiPiece {
  readonly text: string;
  /** 0–7: black, red, green, yellow, blue, magenta, cyan, white; null: the text's own. */
  readonly colour: number | null;
  readonly bold: boolean;
  readonly faint: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about.
const SEQUENCE = /\u001b\[([0-9;]{0,40})m/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
export const hasAnsi = (text: string): boolean => /\u001b\[[0-9;]{0,40}m/.test(text);

export function ansiPieces(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let style = { colour: null as number | null, bold: false, faint: false };
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), ...style });
    from = match.index + match[0].length;
    style = styled(style, (match[1] || "0").split(";").map(Number));
  }
  if (from < text.length) pieces.push({ text: text.slice(from), ...style });
  return pieces;
}

interface Style {
  colour: number | null;
  bold: boolean;
  faint: boolean;
}

function styled(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] as number;
    if (code === 0) style = { colour: null, bold: false, faint: false };
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, faint: true };
    else if (code === 22) style = { ...style, bold: false, faint: false };
    else if (code === 39) style = { ...style, colour: null };
    else if (code >= 30 && code <= 37) style = { ...style, colour: code - 30 };
    else if (code >= 90 && code <= 97) style = { ...style, colour: code - 90 };
    else if (code === 38 || code === 48) {
      // 38;5;N and 38;2;R;G;B: of the palette's first sixteen the colour is kept, other shades are left as the text is.
      const shade = codes[at + 1] === 5 ? codes[at + 2] : undefined;
      if (code === 38 && shade !== undefined) style = { ...style, colour: shade < 16 ? shade % 8 : null };
      at += codes[at + 1] === 2 ? 4 : 2;
    }
  }
  return style;
}
