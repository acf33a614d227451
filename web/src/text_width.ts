// How wide text is, without a canvas. The widths are those of DejaVu Sans, one of the widest common fonts: what has room
// by this table has room in Helvetica, Arial and Liberation Sans as well.
import * as vega from "vega";

// Hundredths of the font's size, from U+0020 to U+007E.
const kAscii = [
  32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53,
  100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50,
  50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84];
const kLetter = 66;  // other alphabets, about
const kWide = 110;   // Chinese, Japanese, Korean, emoji
const kBold = 1.1;

export function textWidth(text: string, size: number, bold = false): number {
  let sum = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0)!;
    sum += kAscii[code - 0x20] ?? (code < 0x20 ? 0 : code < 0x2e80 ? kLetter : kWide);
  }
  return (sum * size * (bold ? kBold : 1)) / 100;
}

interface TextItem { fontSize?: number; fontWeight?: string | number; limit?: number }

/** Vega asks here from now on. */
export function measureTextByTable(): void {
  const metrics = (vega as unknown as { textMetrics: { width: (item: TextItem, text: unknown) => number } }).textMetrics;
  metrics.width = (item, text) => {
    const size = item.fontSize ?? 11;
    const bold = item.fontWeight === "bold" || Number(item.fontWeight) >= 600;
    const whole = text == null ? "" : String(text).trim();
    const limit = item.limit ?? 0;
    // What is cut has at most the width that it is cut to. The text of a hostile name is not measured to its end.
    const width = textWidth(whole.length > 2000 ? whole.slice(0, 2000) : whole, size, bold);
    return limit > 0 ? Math.min(width, limit) : width;
  };
}
