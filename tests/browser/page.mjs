// page.mjs - the page of `throng web` in a real browser: TAP on standard output
//
//     node page.mjs ADDRESS CONTROL_ADDRESS FOLDER PICTURES
//
// ADDRESS serves the studies `many` (recorded, large) and `live` (which runs until the file FOLDER/go is there)
// read-only; CONTROL_ADDRESS serves the same with --control. Screenshots are left in PICTURES.
import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, statSync, writeFileSync } from "node:fs";

const [address, controlAddress, folder, pictures] = process.argv.slice(2);
const throng = process.env.THRONG;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE = 60_000;

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
  page.on("request", (r) => {
    const host = new URL(r.url()).hostname;
    if (!/^(data|blob|file):/.test(r.url()) && host !== "127.0.0.1") outside.push(r.url());
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

/** The rows of a figure's table, as numbers where they are. */
async function numbersOf(page, figure) {
  const f = page.locator(`[data-figure="${figure}"]`);
  await f.getByRole("button", { name: "Table" }).click();
  const rows = await f.locator(".numbers tbody tr").evaluateAll((list) =>
    list.map((tr) => [...tr.children].map((td) => (td.textContent === "" ? null : Number.isNaN(Number(td.textContent)) ? td.textContent : Number(td.textContent)))));
  await f.getByRole("button", { name: "Table" }).click();
  return rows;
}

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
  check("the address keeps no token", !page.url().includes("token"), page.url());
  check("the best trial is that of rank", (await page.locator(".fact.best").innerText()).includes(`trial ${rank[0].id}`));
  const records = await numbersOf(page, "history");
  check("best so far ends with the best value", records.at(-1)[0] === rank[0].id && records.at(-1)[1] === rank[0].value,
    JSON.stringify(records.at(-1)));
  const shares = await numbersOf(page, "importance");
  const importance = throngJson("importance", "many", "--json").parameters;
  check("importance is the verb's", JSON.stringify(shares) === JSON.stringify(importance.map((p) => [p.name, p.share])), JSON.stringify(shares));
  await accessible(page, "overview");

  const where = "lr<0.001 and opt=adam";
  await page.fill("#filter", where);
  const count = execFileSync(throng, ["export", "many", "--where", where, "--jsonl"], { cwd: folder, maxBuffer: 1 << 28 }).toString().trim().split("\n").length;
  await page.waitForFunction((n) => document.querySelector("#filter-says").textContent.includes(n), count.toLocaleString("en"));
  check("a filter has as many as the verb's", true);
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
  await page.getByRole("button", { name: "Clear brushes" }).click();
  await page.waitForFunction(() => !/ of /.test(document.querySelector("#filter-says").textContent));
  check("and lets go of it", true);

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
  await page.locator(".table").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.keyboard.press("j");
  await page.keyboard.press("Space");
  await picture(page, "table");
  await accessible(page, "table");
  await page.keyboard.press("c");
  await page.getByText("What differs").waitFor();
  check("two that were selected by keyboard are compared", (await page.locator("thead a").count()) === 2);
  await accessible(page, "compare");
  for (const name of ["Curves", "Parameters", "Load", "Errors"]) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.locator("main figure, main section").first().waitFor();
    await picture(page, name.toLowerCase());
    await accessible(page, name.toLowerCase());
  }
  await page.getByRole("link", { name: "Load", exact: true }).click();
  const load = await numbersOf(page, "load");
  check("load has its numbers", load.length > 10 && load.every((r) => r[1] <= r[2] + 1e-9));
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
  check("one file of 20,000 trials has less than 3 MB", statSync(file).size < 3e6, statSync(file).size);
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
    let said = "";
    for (let i = 0; i < 100 && !said.startsWith(`${count.toLocaleString("en")} `); i++) {
      await page.waitForTimeout(100);
      said = (await shown(page)).trim();
    }
    check(`without a server, ${where} has as many`, said.startsWith(`${count.toLocaleString("en")} `), `${said}, not ${count}`);
  }
  await page.fill("#filter", "");
  await page.getByRole("link", { name: "Curves", exact: true }).click();
  await page.locator('[data-figure="curves"]').waitFor();
  check("and curves of the best", (await page.locator('[data-figure="curves"]').innerText()).includes("20 curves"));
  await picture(page, "exported");
  await page.context().close();
}

// ---- a server that is started anew ---------------------------------------------------------

function serve(port) {
  const server = spawn(throng, ["web", "--port", String(port)], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
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
