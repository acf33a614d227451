// The height follows the number of rows: Vega-Lite's own step sizes do not work with a fitted width.
import type { Spec } from "./types";

interface Sized {
  height?: number | { step: number };
  encoding?: { y?: { field?: string }; yOffset?: { field?: string } };
  layer?: Sized[];
  params?: { name: string; value?: unknown }[];
}

export function sized(spec: Spec, width: number): Spec {
  const { height, encoding, layer } = spec as Spec & Sized;
  const offset = encoding?.yOffset ?? layer?.find((l) => l.encoding?.yOffset)?.encoding?.yOffset;
  if ((spec.usermeta as { square?: boolean } | undefined)?.square) {
    const side = Math.max(160, Math.min(width - 76, 460));  // less the axis' labels
    return { ...spec, autosize: { type: "pad" }, width: side, height: side };
  }
  if (typeof height !== "object") return { ...spec, width };
  const count = (field: string | undefined) =>
    field === undefined ? 1 : Math.max(1, new Set((spec.datasets.rows ?? []).map((row) => row[field])).size);
  const rows = count(encoding?.y?.field) * Math.max(1, 0.6 * count(offset?.field));
  return { ...spec, width, height: Math.round(height.step * rows) };
}
