// node tests/browser/picture.mjs: makes docs/report.png, the top of a report of the simulated cohort.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeResults, open, startBrowser } from "./pages.mjs";

const docs = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs");
const made = makeResults(200, 0.01);
made.run("report", "raw.json", "temperature.json", "--names", "raw,temperature", "-o", "report.html");
const browser = await startBrowser();
const { page } = await open(browser, made.path("report.html"), { width: 1280 });
// The headline and the first two plots.
await page.addStyleTag({ content: "#words, #metrics, nav { display: none } #calibration { margin-top: 1.5rem }" });
await page.setViewportSize({ width: 1280, height: 1130 });
await page.screenshot({ path: join(docs, "report.png") });
await browser.close();
made.remove();
