// The part of the node API that svg.ts uses.
declare module "node:fs" {
  export function readdirSync(path: string): string[];
  export function readFileSync(path: string, encoding: string): string;
  export function writeFileSync(path: string, text: string): void;
}
