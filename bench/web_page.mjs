// web_page.mjs - the page of `throng web` in a real browser, weighed
//
//     node web_page.mjs ADDRESS FILE FILTER
//
// ADDRESS serves the study `many`, FILE is the same as one file. Prints JSON: seconds of the main thread (thread time,
// as DevTools count it) until the first view has its data, for a step of scrolling and of brushing, until the file's
// first view; and which trials the page has left by FILTER.
import { chromium } from "playwright-core";

const [address, file, filter] = process.argv.slice(2);
const STEPS = 20, PATIENCE = 120_000;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"] });

async function open(url) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage(), cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  page.cpu = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  await page.goto(url);
  await page.locator('[data-figure="history"] canvas').waitFor();
  await page.locator('[data-figure="parallel"] canvas').waitFor();
  await page.locator(".fact.best").waitFor();
  return page;
}

/** The mean of the steps, each with the frame that it is drawn in. */
async function mean(page, step) {
  const before = await page.cpu();
  for (let i = 1; i <= STEPS; i++) {
    await step(i);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  }
  return ((await page.cpu()) - before) / STEPS;
}

const said = {};
const page = await open(`${address}&study=many`);
said.first = await page.cpu();
await page.locator('[data-figure="importance"] canvas').waitFor();
const box = await page.locator('[data-figure="parallel"] canvas').boundingBox();
await page.mouse.move(box.x + 46, box.y + 60);
await page.mouse.down();
said.brush = await mean(page, (i) => page.mouse.move(box.x + 46, box.y + 60 + i * 8));
await page.mouse.up();
await page.getByRole("button", { name: "Clear brushes" }).click();
await page.getByRole("link", { name: "Table", exact: true }).click();
await page.locator(".row[aria-rowindex='2']").waitFor();
const scroller = page.locator(".scroller");
said.scroll = await mean(page, (i) => scroller.evaluate((e, y) => (e.scrollTop = y), i * 9000));
await page.fill("#filter", filter);
await page.waitForFunction(() => / of /.test(document.querySelector("#filter-says").textContent));
said.rows = Number((await page.locator("#filter-says").innerText()).split(" of ")[0].replaceAll(",", ""));
await page.waitForFunction((n) => document.querySelector("[role=grid]").ariaRowCount === String(n + 1), said.rows);
await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
await page.getByRole("button", { name: "Copy as CSV" }).click();
await page.locator(".said", { hasText: "Copied" }).waitFor();
const csv = await page.evaluate(() => navigator.clipboard.readText());
said.ids = csv.trim().split("\n").slice(1).map((line) => Number(line.split(",")[0]));
await page.context().close();

const alone = await open(file);
said.file = await alone.cpu();
console.log(JSON.stringify(said));
await browser.close();
