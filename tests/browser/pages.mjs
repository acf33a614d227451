// What the browser tests share: pages made by the tool, a browser, and a page that records errors.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const { chromium } = createRequire(join(root, "web", "package.json"))("playwright-core");
const plumb = process.env.PLUMB_BIN ?? join(root, "build", "bin", "plumb");
export const shots = process.env.PLUMB_SHOTS ?? join(root, "build", "browser");
const kClasses = "neutrophil,eosinophil,basophil,lymphocyte,monocyte,erythroblast,platelet,immature";
const kVotes = ["--ratings", "demo/test/votes.csv:rater_*", "--classes", kClasses];

/** A grey 8 x 8 square for each item, as .npy. */
function pictures(folder) {
  const items = readFileSync(join(folder, "demo/test/items.csv"), "utf8").trim().split("\n").length - 1;
  const head = `{'descr': '|u1', 'fortran_order': False, 'shape': (${items}, 8, 8), }`.padEnd(117) + "\n";
  const bytes = Buffer.alloc(items * 64, 0).map((_, i) => (i * 7) % 256);
  writeFileSync(join(folder, "pictures.npy"), Buffer.concat([Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1"), Buffer.from(head), bytes]));
  return "pictures.npy";
}

/** A folder with demo/ and the results of several commands; `replicates` of the bootstrap. */
export function makeResults(replicates = 20, bandwidth = 0.05) {
  const how = ["--bandwidth", bandwidth, "--quiet"];
  const folder = mkdtempSync(join(tmpdir(), "plumb-browser-"));
  const run = (...args) => execFileSync(plumb, args.map(String), { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  run("demo", "--out", "demo", "--quiet");
  run("calibrate", "fit", "--method", "temperature", "--logits", "demo/validation/logits.npy", "--counts",
    "demo/validation/counts.npy", "-o", "temperature.model", "--quiet");
  run("calibrate", "apply", "temperature.model", "--logits", "demo/test/logits.npy", "-o", "temperature.npy", "--quiet");
  const more = ["--groups", "demo/test/items.csv:patient", "--by", "demo/test/items.csv:site", "--bootstrap", replicates];
  run("evaluate", "--probs", "demo/test/probs.npy", ...kVotes, ...more, ...how, "--json", "raw.json", "--report", "raw.html");
  run("evaluate", "--probs", "temperature.npy", ...kVotes, ...more, ...how, "--json", "temperature.json", "--report", "t.html");
  run("stability", "--probs", "demo/test/probs.npy", ...kVotes, "--estimators", "ece,brier", "--repeats", 5, ...how, "--json",
    "stability.json");
  run("uncertainty", "--probs", "demo/test/probs.npy", ...kVotes, "--ids", "demo/test/items.csv:id", "--images", pictures(folder),
    "--quiet", "--json", "uncertainty.json");
  mkdirSync(join(folder, "run"));
  const epochs = Array.from({ length: 30 }, (_, i) => ({
    epoch: i + 1, phase: "ce", loss: "ce", lr: 0.1, seconds: 1, train_loss: 1 / (i + 1), best: i < 12,
    train: { nll: 0.3 + 1 / (i + 2), ece: 0.2 / (i + 2) }, validation: { nll: 0.5 + ((i - 11) / 40) ** 2, ece: 0.02 + i / 300 },
  }));
  writeFileSync(join(folder, "run", "history.json"), JSON.stringify(epochs));
  return { folder, run, path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true }) };
}

export const startBrowser = () =>
  chromium.launch({ executablePath: process.env.PLUMB_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

/** Opens a file; complaints collects console messages, errors and every request that is not the file itself. */
export async function open(browser, path, { width = 1440, theme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: theme, reducedMotion: "reduce" });
  const complaints = [];
  const url = pathToFileURL(path).href;
  page.on("console", (m) => complaints.push(`console ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => complaints.push(`error: ${e.message}`));
  page.on("dialog", (d) => { complaints.push(`dialog: ${d.message()}`); void d.dismiss(); });
  page.on("request", (r) => { if (r.url() !== url) complaints.push(`request: ${r.url()}`); });
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes", undefined, { timeout: 20000 });
  return { page, complaints };
}
