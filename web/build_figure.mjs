// node build_figure.mjs OUT.js LICENCES.txt QUICKJS: bundles Vega and the drawing of figures for a bare JavaScript engine, and
// collects the licences of all that goes into the plugin.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [out, licences, quickjs] = process.argv.slice(2);
const { metafile } = await build({
  entryPoints: [join(here, "src/figure.ts")],
  outfile: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2019",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found) packages.add(found[1]);
}
const text = ["QuickJS\n" + /\/\*[^]*?\*\//.exec(readFileSync(join(quickjs, "quickjs.c"), "utf8"))[0]];
for (const name of [...packages].sort()) {
  const folder = join(here, "node_modules", name);
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file) text.push(`${name}\n` + readFileSync(join(folder, file), "utf8").trim());
}
writeFileSync(licences, text.join("\n\n----\n\n") + "\n");
