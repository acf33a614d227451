// In node: draws every *.vl.json of a folder as SVG beside it, for "plumb ... --plots DIR".
import * as vega from "vega";
import * as vegaLite from "vega-lite";
import { sized } from "./sizes";
import type { Spec } from "./types";

const kWidth = 480;

export async function drawFolder(folder: string): Promise<void> {
  const fs = await import("node:fs");
  for (const file of fs.readdirSync(folder).sort()) {
    if (!file.endsWith(".vl.json")) continue;
    const spec = JSON.parse(fs.readFileSync(`${folder}/${file}`, "utf8"));
    const compiled = vegaLite.compile({ ...sized(spec as Spec, kWidth), background: "white" } as never).spec;
    const view = new vega.View(vega.parse(compiled), { renderer: "none" });
    fs.writeFileSync(`${folder}/${file.replace(/\.vl\.json$/, ".svg")}`, await view.toSVG());
    view.finalize();
  }
}
