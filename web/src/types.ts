// What src/report/html.cpp writes into the page.
export type Scalar = number | string | boolean | null;
export type Row = Record<string, Scalar>;
export type Spec = Record<string, unknown> & { datasets: Record<string, Row[]> };

export interface Choice {
  value: string;
  label: string;
  sentence: string;
}
export interface Plot {
  name: string;
  title: string;
  sentence: string;
  how: string;
  spec: Spec;
  picker?: string;
  choices?: Choice[];
}
export interface ReaderTable {
  title: string;
  sentence: string;
  columns: string[];
  rows: Scalar[][];
  picture?: number;  // the column of data URIs
  wide?: boolean;  // pictures are to be looked at, not only recognised
}
export interface Section {
  id: string;
  title: string;
  intro: string;
  plots: Plot[];
  tables: ReaderTable[];
}
export interface MetricCell {
  value: number | null;
  why?: string;
  low?: number;
  high?: number;
  null_mean?: number;
  p_value?: number;
}
export interface MetricRow {
  key: string;
  line: string;
  better: string;
  headline: boolean;
  cells: (MetricCell | null)[];
}
export interface Run {
  name: string;
  plumb?: string;
  command?: string;
  argv?: string[];
  inputs?: { flag: string; path: string; shape: number[]; dtype: string; sha256?: string }[];
  settings?: Record<string, unknown>;
  notes?: string[];
}
export interface Report {
  title: string;
  plumb: string;
  models: { name: string; task?: string; items?: number; noun?: string; votes?: number; classes?: number }[];
  date: string;  // empty: not told
  verdicts: { model: string; level: string; name: string; text: string }[];
  summary: string;
  caution: string;  // a sentence that limits all others; empty: none
  next: { model: string; why: string; command: string }[];
  words: { model: string; sentences: string[] }[];
  metrics: { models: string[]; rows: MetricRow[] };
  sections: Section[];
  runs: Run[];
}
