// In a browser: shows the document embedded in the page. In node: draws a folder of specs.
import "./page.css";
import { showPage } from "./page";
import { drawFolder } from "./svg";
import type { Report } from "./types";

declare const process: { argv: string[]; exitCode: number };

if (typeof document === "undefined") {
  drawFolder(process.argv[2] ?? ".").catch((error: unknown) => {
    console.error(String(error));
    process.exitCode = 1;
  });
} else {
  const text = document.getElementById("plumb-document")!.textContent ?? "{}";
  void showPage(JSON.parse(text) as Report, document.getElementById("plumb-page")!);
}
