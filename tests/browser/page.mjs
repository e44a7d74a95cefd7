// page.mjs - the page of `throng web` in a real browser: TAP on standard output
//
//     node page.mjs ADDRESS CONTROL_ADDRESS FOLDER PICTURES
//
// ADDRESS serves the studies `many` (recorded, large), `logged` (three trials with pictures, tables, charts), `odd` (one
// that failed, NaN, texts with any letter), `two` (two objectives and a bound), `leaving` (which is removed) and `live` (which runs until the file FOLDER/go
// is there) read-only; CONTROL_ADDRESS serves the same with --control. Screenshots are left in PICTURES.
import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

const [address, controlAddress, folder, pictures] = process.argv.slice(2);
const throng = process.env.THRONG;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE = 300_000; // only what hangs is given up

let made = 0, failed = 0;
function check(name, good, why = "") {
  made++;
  if (!good) failed++;
  console.log(`${good ? "ok" : "not ok"} ${made} - ${name}`);
  if (!good) console.log(`#   ${String(why).slice(0, 2000).replaceAll("\n", "\n#   ")}`);
}

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const faults = [], outside = [];

async function open(url, size = { width: 1360, height: 900 }) {
  const context = await browser.newContext({ viewport: size });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  // That a request was refused is told by the page, and by the browser too.
  page.on("console", (m) => m.type() === "error" && !/status of 4\d\d|ERR_CONNECTION/.test(m.text()) && faults.push(m.text()));
  page.on("pageerror", (e) => faults.push(e.message));
  // Which one, and what it said of it.
  page.on("response", async (r) => r.status() >= 500 && faults.push(`${r.url()}: ${await r.text().catch((e) => e.message)}`));
  page.on("request", (r) => {
    const host = new URL(r.url()).hostname;
    if (!/^(data|blob|file):/.test(r.url()) && !/^127\.0\.0\.1$|^(.*\.)?localhost$/.test(host)) outside.push(r.url());
  });
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  page.cpu = async () =>
    (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  await page.goto(url);
  return page;
}

const throngJson = (...words) => JSON.parse(execFileSync(throng, words, { cwd: folder, maxBuffer: 1 << 28 }));
const study = (url, name, more = "") => `${url}&study=${name}${more}`;
const shown = (page) => page.locator("#filter-says").innerText();
const picture = (page, name) => page.screenshot({ path: `${pictures}/${name}.png` });

async function accessible(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  check(`${name}: no fault of accessibility`, !found.violations.length,
    found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html).join(" ")}`).join("\n"));
}

/** Opens a view, and waits until it has what it shows: what still reads is no view to judge. */
async function visit(page, name, has = "main *") {
  await page.getByRole("link", { name, exact: true }).click();
  await page.locator("nav a[aria-current]", { hasText: new RegExp(`^${name}$`) }).waitFor();
  await page.locator(has).first().waitFor();
  await page.waitForFunction(() => ![...document.querySelectorAll("main .empty")].some((e) => e.textContent.trim().endsWith("…")));
}
const whole = { Overview: '[data-figure="load"] canvas', Table: ".row[aria-rowindex='2']", Curves: '[data-figure="curves"] canvas',
  Parameters: '[data-figure="parallel"] canvas', Load: '[data-figure="machine-memory"] canvas', Errors: "section.group" };

/** The rows of a figure's table, as numbers where they are. */
async function numbersOf(page, figure) {
  const f = page.locator(`[data-figure="${figure}"]`);
  await f.getByRole("button", { name: "Table" }).click();
  const rows = await f.locator(".numbers tbody tr").evaluateAll((list) =>
    list.map((tr) => [...tr.children].map((td) => (td.textContent === "" ? null : Number.isNaN(Number(td.textContent)) ? td.textContent : Number(td.textContent)))));
  await f.getByRole("button", { name: "Table" }).click();
  return rows;
}

/** A choice of one of a figure's menus. */
async function take(figure, menu, choice) {
  await figure.getByRole("button", { name: menu, exact: true }).click();
  await figure.getByRole("button", { name: choice, exact: true }).click();
}

/** All that a figure's table has, as it is copied: rows by the names of its columns, numbers as such. */
async function copiedOf(page, figure) {
  await page.evaluate(() => {
    window.copied = undefined;
    navigator.clipboard.writeText = async (text) => (window.copied = text);
  });
  await take(page.locator(`[data-figure="${figure}"]`), "Copy", "Numbers (CSV)");
  const text = await (await page.waitForFunction(() => window.copied)).jsonValue();
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  const read = (cell) => (cell === "" ? null : Number.isNaN(Number(cell)) ? cell : Number(cell));
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i], read(cell)])));
}

const exported = (name, ...more) => execFileSync(throng, ["export", name, "--jsonl", ...more], { cwd: folder, maxBuffer: 1 << 28 })
  .toString().trim().split("\n").map((line) => JSON.parse(line));
const sameRows = (a, b) => a.length === b.length && a.every((row, i) => JSON.stringify(row) === JSON.stringify(b[i]));
const firstOther = (a, b) => {
  const i = a.findIndex((row, k) => JSON.stringify(row) !== JSON.stringify(b[k]));
  return `${a.length} rows, not ${b.length}; row ${i}: ${JSON.stringify(a[i])}, not ${JSON.stringify(b[i])}`;
};

// ---- without a token ------------------------------------------------------------

{
  const page = await open(address.replace(/#.*/, ""));
  await page.getByRole("alert").waitFor();
  check("without a token it says what to do", /throng web/.test(await page.getByRole("alert").innerText()));
  check("and shows no name", !/many/.test(await page.innerText("body")));
  await page.context().close();
}

// ---- a large study ----------------------------------------------------------------

const rank = throngJson("rank", "many", "-n", "0", "--json").trials;
{
  const page = await open(study(address, "many"));
  await page.locator('[data-figure="parallel"] canvas').waitFor();
  await page.locator('[data-figure="importance"]').waitFor();
  const first = await page.cpu();
  check("the first view takes less than a second of the main thread", first < 1, `${first} s`);
  await picture(page, "overview");
  await picture(page, "docs-page");
  check("the address keeps no token", !page.url().includes("token"), page.url());
  check("the best trial is that of rank", (await page.locator(".fact.best").innerText()).includes(`trial ${rank[0].id}`));
  const records = await numbersOf(page, "history");
  check("best so far ends with the best value", records.at(-1)[0] === rank[0].id && records.at(-1)[1] === rank[0].value,
    JSON.stringify(records.at(-1)));
  const top = await page.locator('[data-figure="history"] canvas').evaluate((c) => {
    const ratio = c.width / c.clientWidth, row = c.getContext("2d").getImageData(60 * ratio, 23 * ratio, c.width - 90 * ratio, 1).data;
    const back = [...c.getContext("2d").getImageData(0, c.height - 1, 1, 1).data].join();
    let marks = 0;
    for (let i = 0; i < row.length; i += 4) if (row.slice(i, i + 4).join() !== back) marks++;
    return marks / (row.length / 4);
  });
  check("trials without a value are not drawn", top < 0.1, top);
  const shares = await numbersOf(page, "importance");
  const importance = throngJson("importance", "many", "--json").parameters;
  check("importance is the verb's", JSON.stringify(shares) === JSON.stringify(importance.map((p) => [p.name, p.share])), JSON.stringify(shares));
  await accessible(page, "overview");

  const where = "lr<0.001 and opt=adam";
  await page.fill("#filter", where);
  const count = execFileSync(throng, ["export", "many", "--where", where, "--jsonl"], { cwd: folder, maxBuffer: 1 << 28 }).toString().trim().split("\n").length;
  await page.waitForFunction((n) => document.querySelector("#filter-says").textContent.includes(n), count.toLocaleString("en"));
  check("a filter has as many as the verb's", true);
  const within = throngJson("rank", "many", "-n", "0", "--json", "--where", where).trials.length.toLocaleString("en");
  check("and says how many of them rank lists", within !== count.toLocaleString("en") && (await shown(page)).endsWith(`, ${within} with a result`), await shown(page));
  check("the filter stands in the address", decodeURIComponent(page.url()).includes("where="), page.url());
  await page.fill("#filter", "lr<<1");
  await page.locator("#filter-says.fault").waitFor();
  check("a filter that is none is answered in words", (await shown(page)).length > 10);
  await page.fill("#filter", "");
  await page.waitForFunction(() => /^100,000 trials|^\d[\d,]* trials/.test(document.querySelector("#filter-says").textContent.trim()));

  const canvas = page.locator('[data-figure="parallel"] canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const before = await page.cpu();
  await page.mouse.move(box.x + 46, box.y + 120);
  await page.mouse.down();
  const steps = 10;
  for (let i = 1; i <= steps; i++) await page.mouse.move(box.x + 46, box.y + 120 + i * 8);
  await page.mouse.up();
  const brush = ((await page.cpu()) - before) / steps;
  await page.waitForFunction(() => / of /.test(document.querySelector("#filter-says").textContent));
  check("a brush keeps a part of the trials", true);
  check("a step of brushing takes less than 50 ms of the main thread", brush < 0.05, `${brush} s`);
  await picture(page, "brushed");
  const kept = await shown(page), link = page.url();
  check("a brush stands in the address", /brushes=/.test(link), link);
  await page.goto("about:blank");
  await page.goto(link);
  await page.waitForFunction((words) => document.querySelector("#filter-says")?.textContent.trim() === words, kept);
  check("and whoever opens that has it", true);
  await page.getByText("Brush by keyboard").click();
  const opt = page.getByRole("group", { name: "opt" });
  await opt.getByRole("checkbox", { name: "sgd" }).uncheck();
  await opt.getByRole("checkbox", { name: "lion" }).uncheck();
  await page.getByRole("group", { name: "layers" }).getByRole("spinbutton", { name: "to" }).fill("4");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => /layers/.test(location.hash));
  await accessible(page, "brushes by keyboard");
  const byBrush = await shown(page);
  await page.getByRole("button", { name: "As filter" }).click();
  await page.waitForFunction(() => /where=/.test(location.hash) && !/brushes=/.test(location.hash));
  const written = await page.inputValue("#filter");
  const same = execFileSync(throng, ["export", "many", "--where", written, "--jsonl"], { cwd: folder, maxBuffer: 1 << 28 }).toString().trim().split("\n").length;
  await page.waitForFunction((n) => document.querySelector("#filter-says").textContent.trim().startsWith(n), `${same.toLocaleString("en")} of`);
  check("brushes keep as many trials as the filter that they are written as", (await shown(page)) === byBrush, `${await shown(page)}, not ${byBrush}, by ${written}`);
  await page.fill("#filter", "");
  await page.waitForFunction(() => !/ of /.test(document.querySelector("#filter-says").textContent));
  await canvas.scrollIntoViewIfNeeded();
  const again = await canvas.boundingBox();
  await page.mouse.move(again.x + 46, again.y + 120);
  await page.mouse.down();
  await page.mouse.move(again.x + 46, again.y + 200);
  await page.mouse.up();
  await page.getByRole("button", { name: "Clear brushes" }).click();
  await page.waitForFunction(() => !/ of /.test(document.querySelector("#filter-says").textContent) && !/brushes=/.test(location.hash));
  check("and are let go of", true);

  await page.getByRole("link", { name: "Table" }).click();
  await page.locator(".row[aria-rowindex='2']").waitFor();
  await page.getByRole("button", { name: /^loss/ }).click();
  await page.waitForFunction((id) => document.querySelector(".row[aria-rowindex='2']")?.textContent.includes(id), String(rank[0].id));
  check("sorted by the metric the first row is that of rank", true);
  const ids = await page.locator(".row[role=row]:not(.head)").evaluateAll((rows) =>
    rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).slice(0, 10).map((r) => Number(r.querySelector("a").textContent)));
  check("and so are the next", JSON.stringify(ids) === JSON.stringify(rank.slice(0, 10).map((t) => t.id)), ids);
  const scroller = page.locator(".scroller");
  const scrolled = await page.cpu();
  for (let i = 1; i <= 20; i++) await scroller.evaluate((e, y) => (e.scrollTop = y), i * 9000);
  const scroll = ((await page.cpu()) - scrolled) / 20;
  check("a step of scrolling takes less than 50 ms of the main thread", scroll < 0.05, `${scroll} s`);
  const far = await scroller.evaluate((e) => e.scrollTop);
  await page.reload();
  await page.waitForFunction((y) => document.querySelector(".scroller")?.scrollTop === y, far);
  check("scrolling survives a reload", true);
  await page.locator(".table").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.keyboard.press("j");
  await page.keyboard.press("Space");
  await picture(page, "table");
  await picture(page, "docs-table");
  await accessible(page, "table");
  await page.keyboard.press("c");
  await page.getByText("What differs").waitFor();
  check("two that were selected by keyboard are compared", (await page.locator("thead a").count()) === 2);
  await accessible(page, "compare");
  for (const name of ["Curves", "Parameters", "Load", "Errors"]) {
    await visit(page, name, whole[name]);
    await picture(page, name.toLowerCase());
    await accessible(page, name.toLowerCase());
  }
  await page.getByRole("link", { name: "Load", exact: true }).click();
  const load = await numbersOf(page, "load");
  check("load has its numbers", load.length > 10 && load.every((r) => r[1] <= r[2] + 1e-9));
  const gpu = await numbersOf(page, "machine-gpu-0"), held = await numbersOf(page, "machine-gpu-memory-0");
  check("GPUs of the machine say how busy they are, and what they hold", gpu.at(-1)[1] === 0.4 && held.at(-1)[1] === 1e9, `${gpu.at(-1)} ${held.at(-1)}`);
  await page.goto(study(address, "many", `&trial=${rank[0].id}`));
  await page.getByRole("complementary").getByText("Parameters").waitFor();
  const drawer = await page.getByRole("complementary").innerText();
  check("a trial's drawer has its parameters", Object.keys(rank[0].params).every((k) => drawer.includes(k)), drawer);
  await accessible(page, "trial");
  await picture(page, "trial");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".drawer"));
  check("and Escape closes it", true);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, "dark");
  await accessible(page, "dark");
  await page.context().close();
}

// ---- what the pictures show is what the store has ------------------------------------------------

{
  const page = await open(study(address, "many", "&view=parameters&x=lr&y=value"));
  const stored = exported("many");
  const bare = (v) => v ?? null;
  const lines = await copiedOf(page, "parallel"), wanted = stored.map((t) => ({ trial: t.id, ...t.params, loss: bare(t.value) }));
  const inOrder = (row) => Object.fromEntries(Object.keys(lines[0]).map((k) => [k, bare(row[k])]));
  check("parallel coordinates have the values of the store", sameRows(lines, wanted.map(inOrder)), firstOther(lines, wanted.map(inOrder)));
  const points = await copiedOf(page, "scatter");
  const slice = stored.filter((t) => t.value !== null).map((t) => ({ trial: t.id, lr: t.params.lr, loss: t.value }));
  check("a slice has the values of the store", sameRows(points, slice), firstOther(points, slice));

  await page.goto(study(address, "many", "&view=parameters&x=lr&y=dropout&where=layers%3D5"));
  await page.waitForFunction(() => / of /.test(document.querySelector("#filter-says").textContent));
  const some = stored.filter((t) => t.params.layers === 5);
  const pairs = await copiedOf(page, "scatter");
  const two = some.map((t) => ({ trial: t.id, lr: t.params.lr, dropout: t.params.dropout, loss: bare(t.value) }));
  check("two parameters have the values of the store", sameRows(pairs, two), firstOther(pairs, two));
  const cells = await copiedOf(page, "contour"), most = Math.max(...cells.map((c) => c["lr to"]));
  const wrong = cells.filter((c) => {
    const inside = some.filter((t) => t.value !== null && t.params.dropout === c.dropout && t.params.lr >= c["lr from"] &&
      (t.params.lr < c["lr to"] || c["lr to"] === most));
    const mean = inside.reduce((s, t) => s + t.value, 0) / inside.length;
    return inside.length !== c.trials || Math.abs(mean - c["mean loss"]) > 1e-9;
  });
  check("a map has the means of the store", cells.length > 50 && !wrong.length, JSON.stringify(wrong.slice(0, 3)));
  check("and each trial in one of its cells", cells.reduce((n, c) => n + c.trials, 0) === some.filter((t) => t.value !== null).length);

  await page.goto(study(address, "many", "&view=curves"));
  const drawn = await copiedOf(page, "curves"), best = rank.slice(0, 20).map((t) => t.id);
  const history = exported("many", best.join(","), "--history").map((p) => ({ trial: p.trial, step: p.step, value: p.value }));
  const sorted = (list) => [...list].sort((a, b) => a.trial - b.trial || a.step - b.step);
  check("curves of the best have the points of the store", sameRows(sorted(drawn), sorted(history)), firstOther(sorted(drawn), sorted(history)));
  await page.context().close();

  const front = await open(study(address, "two", "&view=parameters"));
  const shown = await copiedOf(front, "pareto"), ranked = throngJson("rank", "two", "-n", "0", "--json").trials;
  const set = ranked.filter((t) => t.front === 1).map((t) => ({ trial: t.id, gain: t.values[0], cost: t.values[1] }));
  const byTrial = (a, b) => a.trial - b.trial;
  check("a Pareto front is that of rank", set.length > 2 && sameRows([...shown].sort(byTrial), set.sort(byTrial)), firstOther(shown, set));
  check("where trials fail and break bounds", ranked.some((t) => !t.feasible) && ranked.length === 17);
  await front.getByRole("link", { name: "Overview", exact: true }).click();
  const list = front.getByRole("region", { name: "Best trials" }).locator("tbody a");
  await list.first().waitFor();
  const listed = await list.allInnerTexts();
  check("and the best trials are those of rank", listed.join() === ranked.slice(0, 10).map((t) => t.id).join(), listed.join());
  await accessible(front, "two objectives");
  await front.getByRole("link", { name: "Parameters", exact: true }).click();
  await front.locator('[data-figure="pareto"] canvas').waitFor();
  await picture(front, "pareto");
  const svgOf = async (at, figure) => {
    const [file] = await Promise.all([at.waitForEvent("download"), take(at.locator(`[data-figure="${figure}"]`), "Save", "Picture (SVG)")]);
    return readFileSync(await file.path(), "utf8");
  };
  const accent = await front.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--accent").trim());
  const path = [...(await svgOf(front, "pareto")).matchAll(/<path d="([^"]*)"[^>]*stroke="([^"]*)"/g)].find((m) => m[2] === accent)?.[1] ?? "";
  const joints = path.split(/[ML]/).filter(Boolean).map((xy) => xy.split(" ").map(Number));
  check("a Pareto front is a line of steps", joints.length === 2 * set.length - 1 &&
    joints.every(([x, y], i) => !i || x === joints[i - 1][0] || y === joints[i - 1][1]), path);
  const map = await copiedOf(front, "contour"), means = map.map((c) => c["mean gain"]);
  const beside = [...(await svgOf(front, "contour")).matchAll(/<text[^>]*>([^<]*)</g)].map((m) => Number(m[1]));
  check("the colours of a map have their numbers", [Math.max(...means), Math.min(...means)].every((v) => beside.some((n) => Math.abs(n - v) <= 1e-3 * Math.abs(v))),
    `${beside} has not ${Math.min(...means)} and ${Math.max(...means)}`);
  await front.goto(study(address, "two", "&where=gain%3C%3C1"));
  await front.locator("#filter-says.fault").waitFor();
  await front.locator(".word.finished").waitFor();
  await front.getByRole("region", { name: "Best trials" }).waitFor();
  check("a filter that is none, in an address, is a fault of the filter alone", (await front.locator(".top .fault").count()) === 0);
  await front.fill("#filter", "gain<1");
  await front.waitForFunction(() => / of 18/.test(document.querySelector("#filter-says").textContent));
  check("and is mended by another", true);
  await front.context().close();
}

// ---- what trials logged -------------------------------------------------------------

/** The colour of a canvas at a part of its width and height. */
const colorAt = (canvas, x, y) => canvas.evaluate((c, [px, py]) =>
  [...c.getContext("2d").getImageData(Math.floor(px * c.width), Math.floor(py * c.height), 1, 1).data], [x, y]);
{
  const page = await open(study(address, "logged", "&trial=2"));
  const drawer = page.getByRole("complementary");
  const image = drawer.getByRole("img", { name: /^The picture seg of trial 2.*mask guess: cell [1-9][\d.]* %; boxes truth: a box/ });
  await image.waitFor();
  check("a trial opens by its link alone, and its picture says what masks and boxes show", true);
  const covered = await colorAt(image, 0.3, 0.3), clear = await colorAt(image, 0.9, 0.4);
  check("a mask covers its class alone", covered[2] > covered[0] && clear.join() === "40,40,40,255", `${covered} ${clear}`);
  await drawer.getByRole("checkbox", { name: "mask guess" }).uncheck();
  await page.waitForFunction(() => {
    const c = document.querySelector(".picture canvas");
    const [r, g, b] = c.getContext("2d").getImageData(c.width * 0.2, c.height * 0.2, 1, 1).data;
    return r === g && g === b;
  });
  check("and is taken off", true);
  const table = drawer.getByRole("region", { name: "The table guesses of trial 2" });
  check("a table has its rows", (await table.locator("tbody tr").count()) === 2 && (await table.innerText()).includes("owl"));
  const bins = await numbersOf(page, "histogram");
  check("a histogram has its counts", JSON.stringify(bins.map((r) => r[2])) === "[1,2,0,1]", JSON.stringify(bins));
  const matrix = await numbersOf(page, "confusion");
  check("a confusion matrix has its counts", JSON.stringify(matrix) === JSON.stringify([["cat", 1, 1], ["owl", 0, 2]]), JSON.stringify(matrix));
  check("at the last step is the last text", (await drawer.innerText()).includes("words of step 2"));
  await drawer.getByRole("slider", { name: /^Step/ }).fill("0");
  await drawer.getByText("words of step 0").waitFor();
  check("a slider goes through the steps", true);
  await accessible(page, "logged");
  await picture(page, "logged");
  await page.goto(study(address, "logged", "&view=compare&chosen=1%7C2%7C3"));
  await page.getByRole("img", { name: /^The picture seg of trial 3/ }).waitFor();
  check("selected trials stand side by side", (await page.getByRole("img", { name: /^The picture seg/ }).count()) === 3);
  await accessible(page, "logged, compared");
  await picture(page, "compared");
  await page.getByRole("slider", { name: /^Step/ }).fill("1");
  await page.locator(".logged section").first().screenshot({ path: `${pictures}/docs-logged.png` });
  await page.context().close();
}

// ---- a campaign --------------------------------------------------------------------------

{
  const page = await open(address);
  await page.getByRole("link", { name: "steps/search" }).waitFor();
  await page.getByRole("link", { name: "steps", exact: true }).click();
  await page.getByRole("group", { name: /search: done, after prepare/ }).waitFor();
  const stages = throngJson("status", "steps", "--json").stages;
  const rows = await page.locator("tbody tr").evaluateAll((list) => list.map((tr) => [tr.children[0].textContent.trim(), tr.children[2].textContent.slice(2)]));
  check("a campaign has its stages, as the verb has them", JSON.stringify(rows) === JSON.stringify(stages.map((s) => [s.stage, s.state])), JSON.stringify(rows));
  await accessible(page, "campaign");
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width: 1360, height: 440 });
  await picture(page, "docs-campaign");
  await page.locator("tbody").getByRole("link", { name: "search" }).click();
  await page.locator('[data-figure="parallel"] canvas, [data-figure="history"] canvas').first().waitFor();
  check("a stage opens its study", /steps›search/.test((await page.locator("h1").innerText()).replace(/\s/g, "")), await page.locator("h1").innerText());
  await page.getByRole("link", { name: "steps", exact: true }).click();
  await page.getByRole("group", { name: /search: done/ }).waitFor();
  check("and leads back to its campaign", true);
  await page.context().close();
}

// ---- pictures to take along -----------------------------------------------------------

{
  const page = await open(study(address, "logged", "&view=curves"));
  for (const [kind, begins] of [["SVG", "<svg"], ["PNG", "\x89PNG"]])
    for (const [view, figure] of [["Curves", "curves"], ["Overview", "parallel"], ["Load", "gantt"]]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      const [file] = await Promise.all([page.waitForEvent("download"),
        take(page.locator(`[data-figure="${figure}"]`).first(), "Save", `Picture (${kind})`)]);
      const bytes = readFileSync(await file.path(), "latin1");
      check(`${figure} can be had as ${kind}`, bytes.startsWith(begins) && bytes.length > 500, bytes.slice(0, 200));
      if (kind === "SVG") {
        const faults = await page.evaluate((t) => new DOMParser().parseFromString(t, "image/svg+xml").querySelectorAll("parsererror").length,
          readFileSync(await file.path(), "utf8"));
        check(`${figure} as SVG is well made`, faults === 0);
      }
    }
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => page.evaluate(async () => {
    const found = [];
    for (const item of await navigator.clipboard.read())
      for (const type of item.types) found.push(`${type} ${(await (await item.getType(type)).text()).slice(0, 20)}`);
    return found.join("; ");
  }).catch(() => "nothing yet"); // it may change while it is read
  // A browser that takes no SVG as such has it as text.
  for (const [kind, wanted] of [["PNG", /^image\/png .PNG/], ["SVG", /<svg/]]) {
    await page.evaluate(() => navigator.clipboard.writeText("nothing yet"));
    await take(page.locator('[data-figure="gantt"]'), "Copy", `Picture (${kind})`);
    let found = await clipboard();
    for (const end = Date.now() + 60_000; found.includes("nothing yet") && Date.now() < end; found = await clipboard());
    check(`a picture is copied as ${kind}`, wanted.test(found), found);
  }
  await page.locator('[data-figure="gantt"]').getByRole("button", { name: "Copy", exact: true }).click();
  await accessible(page, "a menu");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".choices:popover-open"));
  check("Escape closes a menu", true);
  const drawn = [];
  for (const view of ["overview", "curves", "parameters", "load"]) {
    await page.goto(study(address, "logged", `&view=${view}&where=lr%3C0.25`));
    await page.locator("main figure canvas").first().waitFor();
    const commands = page.locator("main .choices button[title]");
    await commands.first().waitFor({ state: "attached" });
    drawn.push(...await commands.evaluateAll((l) => l.map((b) => b.title)));
  }
  const kinds = [...new Set(drawn.map((line) => line.split(" ")[2]))].sort();
  check("pictures have the command that draws them", kinds.join() === "curves,gantt,history,load,parallel,slice", kinds);
  for (const line of new Set(drawn)) {
    let said = "";
    try {
      execFileSync("sh", ["-c", `${line.replace(/^throng/, '"$THRONG"')} -o drawn.svg 2>&1`], { cwd: folder });
    } catch (e) {
      said = String(e.stdout);
    }
    check(`${line} draws`, !said && readFileSync(`${folder}/drawn.svg`, "utf8").includes("<svg"), said);
  }
  await page.emulateMedia({ media: "print" });
  check("on paper there are no buttons", (await page.locator("nav, .tools").evaluateAll((l) => l.filter((e) => e.checkVisibility()).length)) === 0);
  await page.pdf({ path: `${pictures}/print.pdf` });
  await page.context().close();
}

// ---- any letters, no values, one that goes -----------------------------------------------

{
  const page = await open(study(address, "odd"));
  await page.getByText("No trial has a value.").first().waitFor();
  check("a study without values says so", true);
  for (const name of ["Table", "Curves", "Parameters", "Load", "Errors", "Compare"]) {
    await visit(page, name);
    await accessible(page, `odd, ${name.toLowerCase()}`);
  }
  await page.goto(study(address, "odd", "&view=compare&chosen=1%7C2"));
  await page.getByText("What differs").waitFor();
  check("trials without a metric are compared, too", true);
  await page.goto(study(address, "odd", "&view=parameters"));
  await page.getByText("No trial has loss.").first().waitFor();
  check("a picture without a mark says so instead", (await page.locator('[data-figure="scatter"], [data-figure="contour"]').count()) === 0);
  check("a text is never markup", (await page.locator("main img, main b").count()) === 0);
  await page.goto(study(address, "odd", "&view=errors"));
  await page.getByRole("button", { name: /^End of the log/ }).first().click();
  check("a failure shows the end of its log", (await page.getByRole("region", { name: /^Log of trial/ }).innerText()).includes("<b>no</b>"));
  await page.context().close();
  const leaving = await open(study(address, "leaving"));
  await leaving.locator(".word.finished").waitFor();
  const other = await open(study(address, "leaving"));
  await other.locator(".word.finished").waitFor();
  check("a second browser sees how it stands, too", true);
  rmSync(`${folder}/.throng/leaving`, { recursive: true });
  await leaving.getByText("was removed").waitFor();
  check("a study that is removed while it is looked at is said to be", (await leaving.locator("canvas").count()) > 0);
  await leaving.context().close();
  await other.context().close();
}

// ---- a small window ------------------------------------------------------------------------

{
  const page = await open(study(address, "many"), { width: 380, height: 800 });
  await page.locator('[data-figure="parallel"] canvas').waitFor();
  for (const name of ["Overview", "Table", "Curves", "Parameters", "Load", "Errors"]) {
    await visit(page, name, whole[name]);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(`${name} fits into a small window`, over <= 0, `${over} pixels wider`);
  }
  await picture(page, "small");
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("link", { name: "many", exact: true }).waitFor();
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check("the list of studies fits into a small window", over <= 0, `${over} pixels wider`);
  await accessible(page, "the list of studies");
  await page.context().close();
}

// ---- a study that runs ---------------------------------------------------------------

{
  const page = await open(study(address, "live"));
  await page.locator(".word.running").waitFor();
  check("a study that runs is seen to", true);
  check("nothing can be changed where that was not allowed", (await page.getByRole("button", { name: "Stop" }).count()) === 0);
  writeFileSync(`${folder}/go`, "");
  await page.waitForFunction(() => /[1-9]\d* \/ 40 trials/.test(document.querySelector(".top").textContent));
  check("news arrive while it runs", true);
  const control = await open(study(controlAddress, "live"));
  await control.getByRole("button", { name: "Stop" }).click();
  await page.locator(".word.not, .word.finished").waitFor();
  check("it is stopped by the page of a server that may", throngJson("status", "live", "--json").running === false);
  await picture(control, "live");
  await control.context().close();
  await page.context().close();
}

// ---- one file -------------------------------------------------------------------------------

{
  const file = `${folder}/page.html`;
  execFileSync(throng, ["web", "many", "--export", file], { cwd: folder, stdio: "ignore" });
  check("one file of 20,000 trials has less than 5 MB", statSync(file).size < 5e6, statSync(file).size);
  const page = await open(`file://${file}`);
  await page.locator('[data-figure="parallel"] canvas').waitFor();
  const first = await page.cpu();
  check("its first view takes less than two seconds of the main thread", first < 2, `${first} s`);
  check("it has the best trial", (await page.locator(".fact.best").innerText()).includes(`trial ${rank[0].id}`));
  await accessible(page, "exported");
  // Both readers of the filter language have to agree.
  for (const where of ["lr<0.001 and opt=adam", "not (opt in (adam, lion)) or layers >= 7", "state = bad", "loss != nan and seconds > 2.5",
    "opt ~ AD && `dropout` <= 0.3", "0.5 > dropout", "loss", "opt != sgd and (value < 0.2 or trial <= 100)"]) {
    const count = execFileSync(throng, ["export", "many", "--where", where, "--jsonl"], { cwd: folder, maxBuffer: 1 << 28 }).toString().split("\n").length - 1;
    await page.fill("#filter", where);
    const words = `${count.toLocaleString("en")} `;
    const same = await page.waitForFunction((w) => document.querySelector("#filter-says").textContent.trim().startsWith(w), words).catch(() => null);
    check(`without a server, ${where} has as many`, same, `${await shown(page)}, not ${count}`);
  }
  await page.fill("#filter", "");
  await page.getByRole("link", { name: "Curves", exact: true }).click();
  await page.locator('[data-figure="curves"]').waitFor();
  check("and curves of the best", (await page.locator('[data-figure="curves"]').innerText()).includes("20 curves"));
  await picture(page, "exported");
  await page.goto(`file://${file}#study=many&trial=${rank[0].id}`);
  await page.getByRole("complementary").getByText("not in an exported page").waitFor();
  const inside = await page.getByRole("complementary").innerText();
  check("a trial says what is not in the file", !/printed nothing|left none/.test(inside), inside);
  await accessible(page, "exported, trial");
  await page.context().close();
}

// ---- through a proxy, in a frame ------------------------------------------------------------

/** A reverse proxy: what lies below a prefix goes on to a port, with or without the prefix; `/frame` is a page of its own. */
function proxy(prefix, strips, frame) {
  const server = createServer((asked, answer) => {
    const [, port, rest] = asked.url.match(new RegExp(`^${prefix}/(\\d+)(/.*)$`)) ?? [];
    if (!port) {
      answer.setHeader("Content-Type", "text/html");
      return answer.end(frame());
    }
    const on = request({ port, path: strips ? rest : asked.url, method: asked.method, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    on.on("error", () => answer.destroy());
    asked.pipe(on);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ server, port: server.address().port })));
}

/** An address as the proxy has it. */
const through = (url, port, prefix) => {
  const own = new URL(url);
  return `http://hub.localhost:${port}${prefix}/${own.port}/${own.hash}`;
};

for (const [name, prefix, strips] of [["JupyterHub", "/user/ann/proxy", true], ["Open OnDemand", "/node/n17", false]]) {
  let framed = "";
  const hub = await proxy(prefix, strips, () => `<!doctype html><iframe src="${framed}" width="1200" height="800"></iframe>`);
  const probe = await proxy("/none", true, () => "");
  const port = String(probe.port); // free, as soon as nobody listens there
  await new Promise((done) => probe.server.close(done));
  const closed = await serve(0);
  const refused = await open(study(through(closed.url, hub.port, prefix), "many"));
  const text = await refused.locator("body").innerText();
  check(`${name}: a host that was not allowed is refused`, /allow-host|no such page/.test(text), text);
  closed.server.kill();
  await refused.context().close();
  const opened = await serve(port, "--base", `${prefix}/${port}`, "--allow-host", "hub.localhost", "--frame-ancestor", `http://hub.localhost:${hub.port}`);
  const page = await open(study(through(opened.url, hub.port, prefix), "many"));
  await page.locator(".word.finished").waitFor();
  await page.locator('[data-figure="parallel"] canvas').waitFor();
  check(`${name}: the page is shown, and hears news`, true);
  framed = page.url().replace(/#.*/, "") + new URL(opened.url).hash + "&study=many";
  await page.goto(`http://hub.localhost:${hub.port}/frame`);
  await page.frameLocator("iframe").locator(".word.finished").waitFor();
  check(`${name}: and in a frame of that site`, true);
  framed = study(address, "many");
  await page.goto("about:blank");
  const blocked = page.waitForEvent("console", { predicate: (m) => /frame-ancestors/.test(m.text()) });
  await page.goto(`http://hub.localhost:${hub.port}/frame`);
  await blocked;
  check(`${name}: but not where no frame was allowed`, (await page.frameLocator("iframe").locator(".top").count()) === 0);
  faults.splice(0, faults.length, ...faults.filter((f) => !/frame-ancestors/.test(f)));
  await page.context().close();
  opened.server.kill();
  hub.server.closeAllConnections();
  hub.server.close();
}
{
  // A notebook: a page of this machine, at another port, that shows what study.show() gave.
  const shown = spawn("python3", ["-c", "import throng; p = throng.Study('many').show(); print(p._repr_html_(), flush=True); input()"],
    { cwd: folder, stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, PYTHONPATH: process.env.ROOT + "/python" } });
  const cell = await new Promise((done) => shown.stdout.once("data", (text) => done(String(text))));
  const notebook = await proxy("/none", true, () => `<!doctype html><h1>In[1]</h1>${cell}`);
  const page = await open(`http://localhost:${notebook.port}/`);
  await page.frameLocator("iframe").locator(".word.finished").waitFor();
  check("study.show() is the page in a notebook's cell", true);
  await picture(page, "notebook");
  await page.context().close();
  shown.stdin.end("\n");
  notebook.server.closeAllConnections();
  notebook.server.close();
}

// ---- a server that is started anew ---------------------------------------------------------

function serve(port, ...options) {
  const server = spawn(throng, ["web", "--port", String(port), ...options], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  process.on("exit", () => server.kill()); // also when a check cannot go on
  return new Promise((done) => server.stdout.once("data", (text) => done({ server, url: String(text).trim() })));
}
{
  const first = await serve(0);
  const page = await open(study(first.url, "many"));
  await page.locator(".word.finished").waitFor();
  first.server.kill();
  await page.getByText("no answer from the server").waitFor();
  check("a server that ends is told, with what was last seen still there", (await page.locator("canvas").count()) > 0);
  const second = await serve(new URL(first.url).port);
  await page.getByText("open the one that it printed").waitFor();
  check("one that was started anew has another address, which is said", true);
  await page.goto("about:blank");
  await page.goto(study(second.url, "many"));
  await page.locator(".word.finished").waitFor();
  check("and by that it goes on", true);
  second.server.kill();
  await page.context().close();
}

check("no request left the machine", !outside.length, outside.join("\n"));
check("the browser had nothing to complain of", !faults.length, faults.join("\n"));
console.log(`1..${made}`);
await browser.close();
process.exit(failed ? 1 : 0);
