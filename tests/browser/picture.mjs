// make demo && node tests/browser/picture.mjs: makes docs/report.png, the top of the page that the demo ends with.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { open, startBrowser } from "./pages.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const report = join(root, "demo", "report.html");
if (!existsSync(report)) throw new Error(`${report} is missing; run "make demo" first`);
const browser = await startBrowser();
const { page } = await open(browser, report, { width: 1280 });
// Verdicts, the reliability diagram and the histogram beside it.
const end = await page.$eval("[data-plot=confidence]", (e) => e.closest("figure").getBoundingClientRect().bottom + scrollY);
await page.screenshot({ path: join(root, "docs", "report.png"), fullPage: true, clip: { x: 0, y: 0, width: 1280, height: Math.ceil(end) + 24 } });
await browser.close();
