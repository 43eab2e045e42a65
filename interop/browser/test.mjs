// Opens the HTML report of hostile and of very large recordings in headless
// Chromium from file://, and uses it: nothing of a trace runs, nothing is
// requested, and every part works by keyboard too.
//
//	node test.mjs PROGRAM [SCREENSHOTS]
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";
import {breaks, escape, hostile, many, override, turns, zeroWidth} from "./hostile.mjs";

const [program, shots] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), "warden-browser-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

function report(name, trace, ...flags) {
  const file = join(dir, name + ".jsonl"), page = join(dir, name + ".html");
  if (trace !== null) writeFileSync(file, trace);
  const r = spawnSync(program, ["scan", "--no-progress", "-q", "--html", page, ...flags, trace === null ? name : file], {cwd: dir, encoding: "utf8"});
  assert.ok(r.status === 0 || r.status === 1, name + ": exit " + r.status + "\n" + r.stderr);
  return page;
}

// open shows a page and collects whatever it does that it must not.
async function open(file, options = {}) {
  const context = await browser.newContext({viewport: {width: 1360, height: 900}, ...options});
  const page = await context.newPage(), wrong = [];
  page.on("pageerror", e => wrong.push("error: " + e.message));
  page.on("console", m => { if (m.type() === "error" || m.type() === "warning") wrong.push("console: " + m.text()); });
  page.on("dialog", d => { wrong.push("dialog: " + d.message()); d.dismiss(); });
  page.on("request", r => { if (r.url() !== pathToFileURL(file).href) wrong.push("request: " + r.url()); });
  const start = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.locator("#rows tr").first().waitFor();
  return {page, context, wrong, ms: performance.now() - start};
}
const shot = (page, name, full = true) => shots ? page.screenshot({path: join(shots, name + ".png"), fullPage: full}) : null;
const tests = [];
const test = (name, f) => tests.push([name, f]);

test("nothing of a hostile trace runs", async () => {
  const file = report("hostile", hostile());
  const html = readFileSync(file, "utf8");
  for (const c of [escape, override, zeroWidth]) assert.ok(!html.includes(c), "a raw invisible character is in the file");
  assert.match(html, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'">/);
  assert.doesNotMatch(html.replace(/<script>[\s\S]*?<\/script>/g, ""), /\son[a-z]+\s*=\s*["']/i, "an inline handler");
  const {page, context, wrong} = await open(file);
  const rows = await page.locator("#rows tr.row").count();
  assert.ok(rows >= 12, rows + " findings");
  let whole = 0;
  for (let i = 0; i < Math.min(rows, 30); i++) {
    await page.locator("#rows .open-btn").nth(i).click();
    await page.locator("#rows td.detail pre").first().waitFor({timeout: 5000});
    for (const pane of await page.locator("#rows td.detail pre").allInnerTexts()) whole += pane.includes(`"${breaks}": "${breaks}"`);
    await page.locator("#rows .open-btn").nth(i).click();
  }
  assert.ok(whole > 0, "a frame's text is not what it was");
  for (const value of await page.locator("#f-tool option").evaluateAll(o => o.map(x => x.value))) await page.locator("#f-tool").selectOption(value);
  await page.locator("#clear").click();
  await page.evaluate(() => new Promise(r => setTimeout(r, 200)));
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator("iframe, img, link, object, embed, base").count(), 0, "markup of the trace became elements");
  assert.equal(await page.locator("script:not([type])").count(), 1, "a script of its own only");
  const text = await page.locator("body").innerText();
  assert.ok(text.includes("<script>window.pwned=1</script>"), "the text is not shown as it is");
  assert.ok(!text.includes(override) && !text.includes(escape));
  assert.deepEqual(wrong, []);
  await shot(page, "hostile");
  await context.close();
});

test("the policy itself stops what gets in", async () => {
  const file = report("policy", many(3));
  const {page, context} = await open(file);
  const ran = await page.evaluate(async () => {
    const s = document.createElement("script");
    s.textContent = "window.pwned=1";
    document.body.append(s);
    const d = document.createElement("div");
    d.innerHTML = "<img src=data:, onerror=window.pwned=2>";
    document.body.append(d);
    let fetched = true;
    try { await fetch("data:,x"); } catch { fetched = false; }
    await new Promise(r => setTimeout(r, 100));
    return [window.pwned, fetched];
  });
  assert.deepEqual(ran, [undefined, false]);
  await context.close();
});

test("neighbours are found among other sessions' frames", async () => {
  const {page, context, wrong} = await open(report("turns", turns(600)));
  for (const i of [0, 30]) {
    await page.locator("#rows .open-btn").nth(i).click();
    await page.locator("#rows td.detail .strip button").nth(4).waitFor({timeout: 5000});
    assert.equal(await page.locator("#rows td.detail .strip button").count(), 5);
    await page.locator("#rows .open-btn").nth(i).click();
  }
  assert.deepEqual(wrong, []);
  await context.close();
});

test("ten thousand findings are usable", async () => {
  const file = report("many", many(10500));
  const {page, context, wrong, ms} = await open(file);
  assert.ok(ms < 6000, "it took " + Math.round(ms) + " ms to open");
  assert.match(await page.locator("#count").innerText(), /^10,000 findings$/);
  assert.match(await page.locator("#findings").innerText(), /The first 10,000 of 10,500 findings/);
  const took = await page.evaluate(async () => {
    const t = performance.now(), i = document.getElementById("f-text");
    i.value = "tool_36"; i.dispatchEvent(new Event("input"));
    while (!/ of /.test(document.getElementById("count").textContent)) await new Promise(r => setTimeout(r, 5));
    return performance.now() - t;
  });
  assert.ok(took < 1000, "filtering took " + Math.round(took) + " ms");
  assert.match(await page.locator("#count").innerText(), /^270 of 10,000 findings$/);
  await page.locator("#clear").click();
  for (let i = 0; i < 3; i++) await page.locator("#next").click();
  assert.match(await page.locator("#where").innerText(), /^151 to 200 of 10,000$/);
  await page.locator("#rows .open-btn").nth(5).click();
  await page.locator("#rows td.detail pre mark.block").first().waitFor();
  const panes = await page.locator("#rows td.detail .pane h3").allInnerTexts();
  assert.deepEqual(panes, ["Before: what the sender sent", "After: what is delivered"]);
  assert.ok(await page.locator("pre .l.del").count() > 0 && await page.locator("pre .l.add").count() > 0, "the edit is not marked");
  assert.ok(await page.locator(".strip .btn").count() === 5, "two frames on each side");
  console.log(`   10,000 findings: open ${Math.round(ms)} ms, filter ${Math.round(took)} ms, ${(readFileSync(file).length / 1e6).toFixed(1)} MB`);
  assert.deepEqual(wrong, []);
  await context.close();
});

test("everything works from the keyboard", async () => {
  const file = report("keys", many(60));
  const {page, context, wrong} = await open(file);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "f-text");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j"); await page.keyboard.press("j"); await page.keyboard.press("Enter");
  await page.locator("td.detail pre").first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
  await page.locator("#time").focus();
  await page.keyboard.press("ArrowRight"); await page.keyboard.press("Enter");
  assert.match(await page.locator("#count").innerText(), /^\d+ of 60 findings$/);
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#count").innerText(), /^60 findings$/);
  // What a screen reader needs: names on all controls, headers on all columns.
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, [role=slider]")]
    .filter(e => !(e.getAttribute("aria-label") || e.innerText.trim() || e.hidden)).map(e => e.outerHTML));
  assert.deepEqual(nameless, []);
  assert.equal(await page.locator(".t-find thead th:not([scope])").count(), 0);
  assert.equal(await page.locator("h1").filter({visible: true}).count(), 1);
  assert.deepEqual(wrong, []);
  await context.close();
});

// contrast is WCAG's ratio of an element's text with what lies under it.
const contrast = selector => [...document.querySelectorAll(selector)].filter(e => e.offsetParent && e.innerText && e.innerText.trim()).slice(0, 60).map(e => {
  const rgb = s => s.match(/[\d.]+/g).map(Number);
  const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  let under = e;
  while (under && (rgb(getComputedStyle(under).backgroundColor)[3] ?? 1) === 0) under = under.parentElement;
  const a = lum(rgb(getComputedStyle(e).color)), b = lum(rgb(getComputedStyle(under || document.body).backgroundColor));
  return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.className + " " + e.innerText.slice(0, 20)];
});

for (const scheme of ["light", "dark"]) test("both themes can be read: " + scheme, async () => {
  const file = report("theme-" + scheme, hostile() + many(400));
  const {page, context, wrong} = await open(file, {colorScheme: scheme});
  await page.locator("#rows .open-btn").first().click();
  await page.locator("td.detail pre").first().waitFor();
  for (const [ratio, what] of await page.evaluate(contrast, ".tag, .dim, .ev, dt, dd, h1, h2, h3, .mono, .open-btn, .btn:not(:disabled), .chip, .tip, .legend li, th, strong, p, pre, mark, .n, .name"))
    assert.ok(ratio >= 4.5, what + " has a contrast of " + ratio.toFixed(2));
  await shot(page, scheme);
  const button = page.locator("header .btn");
  assert.equal(await button.innerText(), "System theme");
  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await button.click();
  if (scheme === "light") await button.click();
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
  assert.deepEqual(wrong, []);
  await context.close();
});

test("a phone's width is enough", async () => {
  const file = report("phone", hostile() + many(50));
  const {page, context, wrong} = await open(file, {viewport: {width: 360, height: 740}, deviceScaleFactor: 2, isMobile: true, hasTouch: true});
  await page.locator("#rows .open-btn").first().click();
  await page.locator("td.detail pre").first().waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, "the page is " + wide + " pixels wide");
  assert.deepEqual(wrong, []);
  await shot(page, "phone");
  await context.close();
});

test("it prints, and says what it can without script", async () => {
  const file = report("print", many(120));
  const {page, context, wrong} = await open(file);
  const pdf = await page.pdf({format: "A4"});
  assert.ok(pdf.length > 20000 && pdf.subarray(0, 4).toString() === "%PDF");
  assert.equal(await page.evaluate(() => { dispatchEvent(new Event("beforeprint")); return document.querySelectorAll("#rows tr.row").length; }), 120);
  assert.deepEqual(wrong, []);
  if (shots) writeFileSync(join(shots, "print.pdf"), pdf);
  await context.close();
  const bare = await browser.newContext({javaScriptEnabled: false}), q = await bare.newPage();
  await q.goto(pathToFileURL(file).href);
  assert.match(await q.locator("#static").innerText(), /120 block, 0 monitor, 0 note findings[\s\S]*WRD-RES-ANSI/);
  await bare.close();
});

test("a clean run says so", async () => {
  const file = report("clean", '{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":1,"result":{}}\n');
  const {page, context, wrong} = await open(file);
  assert.match(await page.locator("main").filter({visible: true}).innerText(), /Nothing that blocks[\s\S]*Nothing was found\./);
  assert.deepEqual(wrong, []);
  await shot(page, "clean");
  await context.close();
});

let failed = 0;
for (const [name, f] of tests) {
  try { await f(); console.log("ok   " + name); } catch (e) { failed++; console.log("FAIL " + name + "\n" + (e.stack || e)); }
}
await browser.close();
rmSync(dir, {recursive: true, force: true});
process.exit(failed ? 1 : 0);
