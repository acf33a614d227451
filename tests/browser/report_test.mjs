// The report in a browser: every plot is drawn, controls work, and nothing is requested from the network.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeResults, open, shots, startBrowser } from "./pages.mjs";

const kMostBytes = 2_000_000;  // of the page less its data
const kContrast = 4.5;         // WCAG 2.1 AA for text of this size
const kBadName = `</script><img src=x onerror="window.broken=1"><b>bold`;
let made, browser, all;

before(async () => {
  made = makeResults();
  made.run("report", "raw.json", "temperature.json", "stability.json", "uncertainty.json", "run/history.json",
    "--names", "raw,temperature,raw,raw,raw", "-o", "all.html");
  all = made.path("all.html");
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  made?.remove();
});

test("every plot draws, without a complaint and without the network", async () => {
  const { page, complaints } = await open(browser, all);
  const plots = await page.$$eval("[data-plot]", (list) => list.map((e) => ({
    name: e.dataset.plot, drawn: e.dataset.drawn, marks: e.querySelectorAll("svg .mark-group path, svg .mark-symbol path, svg .mark-rule line, svg .mark-line path, svg .mark-rect path").length,
  })));
  const names = plots.map((p) => p.name);
  for (const name of ["reliability", "confidence", "class_errors", "confusion", "slices", "slice_boxes", "loss_parts", "calibration_dispersion",
    "disagreement", "raters", "rater_pairs", "learning", "odds_ratio", "odds_score", "deferral", "loss_scatter", "stability", "precision"])
    assert.ok(names.includes(name), `${name} is missing among ${names}`);
  for (const p of plots) assert.ok(p.drawn === "yes" && p.marks > 2, `${p.name} has ${p.marks} marks`);
  assert.deepEqual(complaints, []);
  const wide = await page.$$eval("td.picture img", (list) => list.map((e) => e.naturalWidth));
  assert.deepEqual(wide, Array(20).fill(8), "a picture of each suspect");
  await page.screenshot({ path: join(shots, "all-1440.png"), fullPage: true });
  await page.close();
});

test("pages of the other commands draw without a complaint", async () => {
  const where = "reg/test";
  made.run("demo", "regression", "--out", "reg", "--quiet");
  made.run("evaluate", "--mean", `${where}/mean.npy`, "--aleatoric", `${where}/aleatoric.npy`, "--epistemic",
    `${where}/epistemic.npy`, "--targets", `${where}/targets.npy`, "--quiet", "--report", "regression.html");
  made.run("calibrate", "fit", "--method", "temperature", "--logits", "demo/validation/logits.npy", "--counts",
    "demo/validation/counts.npy", "-o", "again.model", "--quiet", "--report", "calibrate.html");
  const rows = Array.from({ length: 300 }, (_, i) => `${(i % 97) / 96},${(i * 7) % 10 < (i % 97) / 9.6 ? 1 : 0},${(i % 89) / 88}`);
  writeFileSync(made.path("cohort.csv"), ["p,y,t", ...rows].join("\n") + "\n");
  made.run("evaluate", "--probs", "cohort.csv:p", "--labels", "cohort.csv:y", "--truth", "cohort.csv:t", "--metrics", "ece,mse_p",
    "--quiet", "--report", "binary.html");
  const expected = {
    "regression.html": ["uncertainty_reliability", "intervals", "rejection"],
    "calibrate.html": ["reliability", "calibration_dispersion"],
    "binary.html": ["reliability", "confidence", "loss_scatter", "truth_scatter", "truth_histograms"],
  };
  for (const [file, names] of Object.entries(expected)) {
    const { page, complaints } = await open(browser, made.path(file));
    const drawn = await page.$$eval("[data-drawn=yes]", (list) => list.map((e) => e.dataset.plot));
    for (const name of names) assert.ok(drawn.includes(name), `${name} is missing in ${file}: ${drawn}`);
    assert.deepEqual(complaints, [], file);
    await page.close();
  }
});

test("the page is small beside its data", () => {
  const html = readFileSync(all, "utf8");
  const data = /<script type="application\/json" id="plumb-document">([^]*?)<\/script>/.exec(html)[1];
  assert.ok(statSync(all).size - data.length < kMostBytes, `${statSync(all).size} bytes, ${data.length} of them data`);
  assert.doesNotMatch(html.replace(data, ""), /(src|href)="https?:/);
});

const box = (page, selector) => page.locator(selector).boundingBox();

test("the diagram comes first, is square, and carries its numbers", async () => {
  const { page } = await open(browser, made.path("raw.html"), { width: 1280 });
  const verdict = await box(page, ".verdict"), diagram = await box(page, "[data-plot=reliability]");
  assert.ok(diagram.y > verdict.y && diagram.y - (verdict.y + verdict.height) < 600, "directly below the verdict");
  assert.equal((await page.$$("main section"))[0] && (await page.$eval("main section", (e) => e.id)), "calibration");
  const frame = await page.$eval("[data-plot=reliability] svg .root > path.background, [data-plot=reliability] svg .background", (e) => {
    const b = e.getBoundingClientRect();
    return { width: b.width, height: b.height };
  });
  assert.ok(Math.abs(frame.width - frame.height) <= 2, `${frame.width} x ${frame.height}`);
  const text = (await page.$$eval("[data-plot=reliability] svg text", (list) => list.map((e) => e.textContent))).join("\n");
  assert.match(text, /ECE 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\], 4,000 items/);
  assert.match(text, /predicted probability/);
  assert.match(text, /observed frequency/);
  await page.close();
});

test("bands stay within what a frequency can be", async () => {
  const spec = JSON.parse(/id="plumb-document">([^]*?)<\/script>/.exec(readFileSync(made.path("raw.html"), "utf8"))[1]);
  const bands = spec.sections.flatMap((s) => s.plots).flatMap((p) => p.spec.datasets.rows ?? [])
    .flatMap((row) => [row.band_low, row.band_high]).filter((x) => x !== undefined);
  assert.ok(bands.length > 10);
  for (const x of bands) assert.ok(x >= 0 && x <= 1, String(x));
});

test("one colour means one thing: those of the models colour models alone", async () => {
  const { page } = await open(browser, all);
  const models = await page.$$eval("h1 .model", (list) => list.map((e) => getComputedStyle(e, "::before").backgroundColor));
  const byPlot = await page.$$eval("[data-plot]", (plots) => plots.map((p) => ({
    name: p.dataset.plot,
    legend: [...p.querySelectorAll(".role-legend-entry .role-legend-symbol path")].map((e) => [getComputedStyle(e).fill, getComputedStyle(e).stroke]),
    labels: [...p.querySelectorAll(".role-legend-entry .role-legend-label text")].map((e) => e.textContent),
  })));
  let seen = 0;
  for (const { name, legend, labels } of byPlot)
    legend.forEach((colours, i) => {
      const is = models.findIndex((m) => colours.includes(m));
      if (is < 0) return;
      ++seen;
      assert.equal(labels[i], ["raw", "temperature"][is], `${name}: ${labels[i]} has the colour of a model`);
    });
  assert.ok(seen > 4, `${seen} legend entries of models`);
  await page.close();
});

test("cards of a row are equal", async () => {
  const { page } = await open(browser, all, { width: 1280 });
  const cards = await page.$$eval("#calibration .grid > figure, #raters .grid > figure", (list) =>
    list.map((e) => { const b = e.getBoundingClientRect(); return { x: b.x, y: b.y, width: b.width, height: b.height }; }));
  assert.ok(cards.length > 4);
  for (const c of cards) assert.ok(Math.abs(c.width - cards[0].width) < 1, `${c.width} beside ${cards[0].width}`);
  for (const c of cards)
    for (const d of cards) if (c.y === d.y) assert.ok(Math.abs(c.height - d.height) < 1, `${c.height} beside ${d.height}`);
  await page.close();
});

test("date, version, next step; raters and classes by their names; slices with intervals", async () => {
  const { page } = await open(browser, made.path("raw.html"));
  assert.match(await page.textContent(".facts"), /\d{4}-\d\d-\d\d . plumb \d+\.\d+\.\d+/);
  assert.match(await page.textContent("#next"), /What to do next[^]*plumb calibrate fit/);
  const words = async (name) => (await page.$$eval(`[data-plot=${name}] svg text`, (list) => list.map((e) => e.textContent))).join(" ");
  assert.match(await words("raters"), /rater_1.*rater_7/s);
  assert.match(await words("confusion"), /neutrophil.*immature/s);
  assert.ok(await page.$$eval("[data-plot=slices] svg .mark-rule line", (list) => list.length) >= 6, "bars of three slices");
  assert.match(await page.textContent("#slices"), /with 3 slices some of them may miss by chance/);
  for (const title of await page.$$eval("figure h3", (list) => list.map((e) => e.textContent))) assert.doesNotMatch(title, /[?]/);
  await page.close();
});

test("a page of a fit says that it is optimistic", async () => {
  made.run("calibrate", "fit", "--method", "temperature", "--logits", "demo/validation/logits.npy", "--counts",
    "demo/validation/counts.npy", "-o", "flatters.model", "--quiet", "--report", "flatters.html");
  const { page } = await open(browser, made.path("flatters.html"));
  assert.match(await page.textContent(".caution"), /fitted on.*optimistic/);
  await page.close();
});

test("each plot says what it means, and its data can be read as a table", async () => {
  const { page } = await open(browser, all);
  for (const text of await page.$$eval("figure .meaning", (list) => list.map((e) => e.textContent)))
    assert.match(text, /^\S.{20,}[.]$/s);
  const figure = page.locator("figure", { has: page.locator("[data-plot=reliability]") });
  await figure.locator("summary", { hasText: "Data" }).click();
  await figure.locator("table tbody tr").first().waitFor();
  assert.ok(await figure.locator("table tbody tr").count() > 20);
  await page.close();
});

test("the class picker changes plot and sentence, by keyboard too", async () => {
  const { page, complaints } = await open(browser, all);
  const figure = page.locator("figure", { has: page.locator("[data-plot=reliability]") });
  const drawing = () => figure.locator("svg").innerHTML();
  const was = { sentence: await figure.locator(".meaning").textContent(), drawing: await drawing() };
  const picker = page.locator("#pick-calibration-class");
  await picker.focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((old) => document.querySelector("[data-plot=reliability] svg").innerHTML !== old, was.drawing);
  assert.notEqual(await figure.locator(".meaning").textContent(), was.sentence);
  assert.equal(await picker.inputValue(), "0");
  await picker.selectOption("event");
  await page.waitForFunction((old) => document.querySelector("figure .meaning").textContent === old, was.sentence);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("hovering shows values, and the cell in the plot beside it", async () => {
  const { page, complaints } = await open(browser, all);
  const bars = page.locator("[data-plot=confidence] svg .mark-rect path");
  await bars.last().hover();
  await page.waitForSelector("#vg-tooltip-element.visible");
  assert.match(await page.locator("#vg-tooltip-element").textContent(), /model.*share/s);
  await page.waitForFunction(() => [...document.querySelectorAll("[data-plot=reliability] svg .mark-symbol path")]
    .some((e) => Number(e.getAttribute("opacity")) === 0.25));
  assert.deepEqual(complaints, []);
  await page.close();
});

test("light and dark differ, in plots too, and the button chooses", async () => {
  const colours = (page) => page.evaluate(() => ({
    paper: getComputedStyle(document.body).backgroundColor,
    mark: getComputedStyle(document.querySelector("[data-plot=reliability] svg .mark-symbol path")).fill,
  }));
  const { page } = await open(browser, all, { theme: "dark" });
  const dark = await colours(page);
  await page.screenshot({ path: join(shots, "all-dark.png"), fullPage: true });
  await page.locator("button.theme").click();
  const light = await colours(page);
  assert.notEqual(dark.paper, light.paper);
  assert.notEqual(dark.mark, light.mark);
  assert.match(light.mark, /^rgb/);
  await page.close();
});

test("no sideways scrolling from a phone to a desk", async () => {
  for (const width of [380, 768, 1440]) {
    const { page, complaints } = await open(browser, all, { width });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width === 380) await page.screenshot({ path: join(shots, "all-380.png"), fullPage: true });
    assert.ok(wide <= width, `${wide} > ${width}`);
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

test("text has contrast in both themes", async () => {
  for (const theme of ["light", "dark"]) {
    const { page } = await open(browser, all, { theme });
    const poor = await page.evaluate((least) => {
      const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const rgb = (colour, under) => {
        canvas.fillStyle = `rgb(${under})`;
        canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const light = (c) => c.map((x) => x / 255).map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
        .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
      const backdrop = (e) => {
        const chain = [];
        for (let at = e; at instanceof Element; at = at.parentElement) chain.unshift(at);
        return chain.reduce((under, at) => rgb(getComputedStyle(at).backgroundColor, under), [255, 255, 255]);
      };
      const found = [];
      for (const e of document.querySelectorAll("body *")) {
        if (["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(e.tagName) || e.closest(".mark-text.role-mark, nav")) continue;
        const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
        if (!text || e.getClientRects().length === 0) continue;
        const style = getComputedStyle(e), under = backdrop(e);
        const over = rgb(e instanceof SVGElement ? style.fill : style.color, under);
        const [a, b] = [light(over), light(under)].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < least) found.push(`${((a + 0.05) / (b + 0.05)).toFixed(2)} ${e.tagName}.${e.className.baseVal ?? e.className} ${text.slice(0, 30)}`);
      }
      return [...new Set(found)];
    }, kContrast);
    assert.deepEqual(poor, [], theme);
    await page.close();
  }
});

test("names are for people: controls have labels, figures titles, headings no gaps", async () => {
  const { page } = await open(browser, all);
  const faults = await page.evaluate(() => {
    const out = [];
    for (const s of document.querySelectorAll("select")) if (!document.querySelector(`label[for="${s.id}"]`)) out.push(`select ${s.id}`);
    for (const b of document.querySelectorAll("button")) if (!b.textContent.trim()) out.push("button without text");
    for (const f of document.querySelectorAll("figure")) if (!document.getElementById(f.getAttribute("aria-labelledby"))) out.push("figure");
    for (const s of document.querySelectorAll(".plot svg")) if (!s.closest("[role]") && !s.getAttribute("role") && !s.querySelector("[role]")) out.push("svg");
    let level = 0;
    for (const h of document.querySelectorAll("h1,h2,h3,h4")) {
      if (Number(h.tagName[1]) > level + 1) out.push(`${h.tagName} ${h.textContent}`);
      level = Number(h.tagName[1]);
    }
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    if (new Set(ids).size !== ids.length) out.push("an id occurs twice");
    return out;
  });
  assert.deepEqual(faults, []);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.close();
});

test("a name that is markup shows as text", async () => {
  const result = JSON.parse(readFileSync(made.path("raw.json"), "utf8"));
  result.class_names[0] = kBadName;
  result.per_group[0].group = kBadName;
  result.inputs[0].path = kBadName;
  result.notes = [kBadName];
  writeFileSync(made.path("bad.json"), JSON.stringify(result));
  made.run("report", "bad.json", "raw.json", "--names", `${kBadName},raw`, "--title", kBadName, "-o", "bad.html");
  const { page, complaints } = await open(browser, made.path("bad.html"));
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator("img").count() + await page.locator("main b").count(), 0);
  assert.ok((await page.locator("h1").textContent()).includes(kBadName));
  assert.ok((await page.title()).includes(kBadName));
  assert.deepEqual(complaints, []);
  await page.close();
});

test("prints without the controls", async () => {
  const { page } = await open(browser, all, { theme: "dark" });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  const pdf = await page.pdf({ path: join(shots, "all.pdf"), format: "A4" });
  assert.ok(pdf.length > 50_000);
  await page.close();
});
