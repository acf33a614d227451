// node build.mjs OUT: bundles the page into OUT/page.js and OUT/page.css, and the hash of the script into OUT/page.hash.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
mkdirSync(out, { recursive: true });
await build({
  entryPoints: { page: join(here, "src/main.ts") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
// Neither of these may occur inside a script element.
const script = readFileSync(join(out, "page.js"), "utf8")
  .trimEnd()
  .replace(/<\/script/gi, "<\\/script")
  .replace(/<!--/g, "<\\!--");
writeFileSync(join(out, "page.js"), script);
writeFileSync(join(out, "page.hash"), createHash("sha256").update(script, "utf8").digest("base64"));
