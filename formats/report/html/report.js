"use strict";
(() => {
const TIERS = ["note", "monitor", "block"], SEVERITIES = ["low", "medium", "high", "critical"];
const ACTIONS = ["passed", "shadowed", "modified", "blocked"], DIRS = ["", "client to server", "server to client"];
const NS = "http://www.w3.org/2000/svg", PAGE = 50;
// Every text of a trace goes through here and becomes a text node.
function el(tag, props, ...kids) {
  const e = document.createElement(tag);
  for (const k in props || {}) {
    const v = props[k];
    if (v === null || v === undefined || v === false) continue;
    if (k === "class") e.className = v;
    else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...kids.filter(k => k !== null && k !== undefined && k !== ""));
  return e;
}
// rich shows what stands in backticks as code.
const rich = text => text.split("`").map((part, i) => i % 2 ? el("code", null, part) : part);
function svg(tag, props, ...kids) {
  const e = document.createElementNS(NS, tag);
  for (const k in props) e.setAttribute(k, props[k]);
  e.append(...kids);
  return e;
}
const $ = id => document.getElementById(id);
const num = n => n.toLocaleString("en-US");
const plural = (n, one, many) => num(n) + " " + (n === 1 ? one : many || one + "s");
function size(n) {
  if (n < 1024) return plural(n, "byte");
  for (const u of ["KiB", "MiB", "GiB", "TiB"]) { n /= 1024; if (n < 1024 || u === "TiB") return n.toFixed(n < 10 ? 1 : 0) + " " + u; }
}
// Times are microseconds, shown in UTC.
function when(us, ms) {
  if (us === null || us === 0 || !isFinite(us)) return "";
  const d = new Date(us / 1000);
  return isNaN(d) ? "" : d.toISOString().replace("T", " ").slice(0, ms ? 23 : 19);
}
const sum = JSON.parse($("w-summary").textContent);
const [TR, SE, FR, INSP, BYTES, PERR, BLOCK, MON, NOTE, EXIT, TOTAL, SHOWN, ACC, RESTS, RESTT, RESTP] = sum.totals;
const findings = [];
for (const s of document.querySelectorAll("script.w-findings")) for (const f of JSON.parse(s.textContent)) findings.push(f);
const F = {session: 0, trace: 1, stored: 2, tier: 3, sev: 4, action: 5, dir: 6, block: 7, frame: 8, line: 9, ts: 10, rule: 11, sub: 12,
  id: 13, tool: 14, method: 15, message: 16, snippet: 17, pointer: 18, print: 19, name: 20, isError: 21, state: 22, reason: 23};
const rules = new Map(sum.rules.map(r => [r[0], r]));
const sessions = new Map(sum.sessions.map(s => [s[3], s]));

// A block of frames is opened when one of them is asked for.
const blocks = [...document.querySelectorAll("script.w-frames")].map(s => ({last: +s.dataset.last, node: s, got: null}));
let firstOf = 0, opened = null;
for (const b of blocks) { b.first = firstOf; firstOf = b.last + 1; }
function openBlock(b) {
  if (!b.got) {
    const [head, ...texts] = b.node.textContent.split("^|").map(t => t.replace(/\^([cl])/g, (_, k) => k === "l" ? "<" : "^"));
    let i = 0;
    b.got = JSON.parse(head);
    for (const f of b.got) for (let k = 12; k < 15; k++) if (f[k]) f[k] = [texts[i++], f[k]];
  }
  return b.got;
}
async function frameAt(n) {
  if (!(opened && opened.first <= n && n <= opened.last)) opened = blocks.find(b => n <= b.last);
  return opened ? openBlock(opened)[n - opened.first] : null;
}
// The frames around one, of its session, in order. Those of other sessions may lie between.
async function around(n) {
  const it = await frameAt(n);
  if (!it) return [];
  const out = [it];
  for (const step of [-1, 1]) {
    for (let i = n + step, seen = 0; i >= 0 && i < firstOf && seen < 20000; i += step, seen++) {
      const f = await frameAt(i);
      if (f[0] !== it[0]) continue;
      if (Math.abs(f[1] - it[1]) > 2) break;
      out.push(f);
      if (Math.abs(f[1] - it[1]) === 2) break;
    }
  }
  return out.sort((a, b) => a[1] - b[1]);
}

// ---- state
const state = {text: "", tiers: new Set(), rule: "", tool: "", action: "", session: "", from: null, to: null, sort: "tier", down: true, page: 0, open: -1};
let view = [];
const tally = key => { const m = new Map(); for (const f of findings) m.set(f[key], (m.get(f[key]) || 0) + 1); return m; };
const hay = findings.map(f => [f[F.rule], f[F.sub], f[F.tool], f[F.id], f[F.message], f[F.snippet], f[F.print], f[F.name], sum.traces[f[F.trace]]].join("\n").toLowerCase());
const position = f => { const s = sessions.get(f[F.session]); return s && s[13] ? f[F.ts] : f[F.frame]; };
function inSession(f, id) {
  const s = sessions.get(id);
  if (!s) return true;
  if (!s[5]) return f[F.session] === id;
  const own = sessions.get(f[F.session]);
  return own ? own[4] === s[4] : f[F.trace] === s[4];
}
function select() {
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  view = [];
  for (let i = 0; i < findings.length; i++) {
    const f = findings[i];
    if (state.tiers.size && !state.tiers.has(f[F.tier])) continue;
    if (state.rule && f[F.rule] !== state.rule) continue;
    if (state.tool && f[F.tool] !== state.tool) continue;
    if (state.action !== "" && f[F.action] !== +state.action) continue;
    if (state.session !== "" && !inSession(f, state.session)) continue;
    if (state.from !== null) { const p = position(f); if (!(p >= state.from && p < state.to)) continue; }
    if (words.length && !words.every(w => hay[i].includes(w))) continue;
    view.push(i);
  }
  const by = {order: null, tier: f => f[F.tier] * 10 + f[F.sev], rule: f => f[F.rule], tool: f => f[F.tool], time: f => f[F.ts] || 0}[state.sort];
  if (by) {
    const sign = state.down ? -1 : 1;
    view.sort((a, b) => { const x = by(findings[a]), y = by(findings[b]); return x < y ? -sign : x > y ? sign : a - b; });
  }
}
function refresh(keep) {
  select();
  if (!keep) { state.page = 0; state.open = -1; }
  drawRows();
  for (const b of document.querySelectorAll("[data-rule]")) b.setAttribute("aria-pressed", String(b.dataset.rule === state.rule));
  for (const b of document.querySelectorAll("[data-tool]")) b.setAttribute("aria-pressed", String(b.dataset.tool === state.tool));
  for (const b of document.querySelectorAll("[data-tier]")) b.setAttribute("aria-pressed", String(state.tiers.has(+b.dataset.tier)));
  $("f-rule").value = state.rule; $("f-tool").value = state.tool; $("f-action").value = state.action; $("f-text").value = state.text;
  const any = state.text || state.tiers.size || state.rule || state.tool || state.action !== "" || state.session !== "" || state.from !== null;
  $("clear").disabled = !any;
  const s = sessions.get(state.session), chip = $("f-span");
  chip.hidden = !s;
  if (s) chip.textContent = (state.from !== null ? (s[13] ? when(state.from).slice(11) + " to " + when(state.to).slice(11) + " in " : "frames " + Math.max(0, state.from) + " to " + (state.to - 1) + " in ") : "in ") +
    (s[5] ? sum.traces[s[4]] : s[0] || s[1] || sum.traces[s[4]]) + "  ×";
}
function clearAll() {
  Object.assign(state, {text: "", rule: "", tool: "", action: "", session: "", from: null, to: null});
  state.tiers.clear();
  if (current) drawTimeline();
  refresh();
}

// ---- table
function drawRows() {
  const body = $("rows"), pages = Math.max(1, Math.ceil(view.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const from = state.page * PAGE, to = Math.min(view.length, from + PAGE);
  body.replaceChildren();
  for (const i of view.slice(from, to)) {
    body.append(row(i));
    if (state.open === i) body.append(detailRow(i));
  }
  if (!view.length) body.append(el("tr", null, el("td", {colspan: 5, class: "empty"}, findings.length ? "No finding matches these filters." : "Nothing was found.")));
  $("count").textContent = view.length === findings.length ? plural(view.length, "finding") : num(view.length) + " of " + plural(findings.length, "finding");
  $("where").textContent = view.length ? num(from + 1) + " to " + num(to) + " of " + num(view.length) : "";
  $("prev").disabled = state.page === 0; $("next").disabled = state.page >= pages - 1;
  for (const th of document.querySelectorAll("th[data-sort]"))
    th.setAttribute("aria-sort", th.dataset.sort !== state.sort ? "none" : state.down ? "descending" : "ascending");
}
const place = f => sum.traces[f[F.trace]] + (f[F.line] ? ":" + f[F.line] : "");
function row(i) {
  const f = findings[i], tier = TIERS[f[F.tier]], open = state.open === i;
  const name = el("button", {class: "open-btn", type: "button", "aria-expanded": String(open), "aria-controls": open ? "d-" + i : null, "data-i": i}, f[F.rule]);
  return el("tr", {class: "row" + (open ? " open" : ""), onclick: e => {
    // Selecting text in a row must not close it.
    const mark = getSelection();
    if (e.target.tagName === "BUTTON" || mark.isCollapsed || !e.currentTarget.contains(mark.anchorNode)) toggle(i);
  }},
    el("td", null, el("span", {class: "tag " + tier}, tier)),
    el("td", null, name, f[F.sub] ? el("span", {class: "ev mono"}, f[F.sub]) : null),
    el("td", {class: "mono"}, f[F.tool] || el("span", {class: "dim"}, f[F.method] || "no tool")),
    el("td", null, f[F.message], f[F.snippet] ? el("span", {class: "ev mono"}, f[F.snippet]) : null),
    el("td", null, el("span", {class: "mono"}, place(f)), el("span", {class: "ev"}, [when(f[F.ts]), ACTIONS[f[F.action]], f[F.state]].filter(Boolean).join(" · "))));
}
function toggle(i, focus) {
  state.open = state.open === i ? -1 : i;
  drawRows();
  const b = document.querySelector('.open-btn[data-i="' + i + '"]');
  if (b) { b.focus({preventScroll: true}); if (focus) b.scrollIntoView({block: "nearest"}); }
}
function detailRow(i) {
  const f = findings[i], r = rules.get(f[F.rule]), s = sessions.get(f[F.session]);
  const facts = el("dl", {class: "facts"});
  const fact = (k, v) => { if (v !== "" && v !== null && v !== undefined) facts.append(el("dt", null, k), el("dd", null, v)); };
  fact("Place", el("span", {class: "mono"}, place(f) + (f[F.frame] >= 0 ? ", frame " + f[F.frame] : "")));
  fact("Session", [f[F.name] || (s && s[0]), s && s[1], s && s[2]].filter(Boolean).join(" · "));
  fact("Call", [f[F.method], f[F.tool], f[F.id] && "id " + f[F.id], f[F.isError] && "the result is an error"].filter(Boolean).join(" · "));
  fact("Time", f[F.ts] ? when(f[F.ts], true) + " UTC" : "");
  fact("Direction", DIRS[f[F.dir]]);
  fact("Severity", SEVERITIES[f[F.sev]] + ", " + TIERS[f[F.tier]] + " tier, " + ACTIONS[f[F.action]]);
  fact("Pointer", f[F.pointer] ? el("span", {class: "mono"}, f[F.pointer]) : "");
  fact("Baseline", [f[F.state], f[F.reason]].filter(Boolean).join(": "));
  fact("Fingerprint", f[F.print] ? el("span", {class: "mono"}, f[F.print]) : "");
  const td = el("td", {class: "detail", colspan: 5, id: "d-" + i}, facts);
  if (r && (r[2] || r[4])) td.append(el("div", {class: "help"}, el("p", null, el("strong", null, r[1] + ". "), ...rich(r[2] + " " + r[3])), r[4] ? el("p", {class: "dim"}, ...rich(r[4])) : null));
  const box = el("div", {"aria-live": "polite"});
  td.append(box);
  if (f[F.stored] >= 0) showFrames(box, f[F.stored]); else box.append(el("p", {class: "dim"}, "The finding stands on no single frame of this report."));
  return el("tr", {class: "d"}, td);
}
async function showFrames(box, n) {
  box.append(el("p", {class: "dim"}, "Opening the frame …"));
  let list;
  try { list = await around(n); } catch (e) { box.replaceChildren(el("p", {class: "dim"}, "The frame can't be opened in this browser.")); return; }
  const it = await frameAt(n), strip = el("div", {class: "strip", role: "group", "aria-label": "Frames around this one"}), pane = el("div");
  const show = f => {
    for (const b of strip.children) b.setAttribute("aria-current", String(b.dataset.n === String(f[1])));
    pane.replaceChildren(framePanes(f));
  };
  for (const f of list) {
    const what = f[9] || f[7];
    strip.append(el("button", {class: "btn", type: "button", "data-n": f[1], onclick: e => { e.stopPropagation(); show(f); }},
      (f[5] === 1 ? "→ " : "← ") + "#" + f[1] + " " + f[7] + (what !== f[7] ? " " + what : "") + (f[10] ? " " + f[10] : "")));
  }
  box.replaceChildren(strip, pane);
  show(it);
}
function framePanes(f) {
  const about = [DIRS[f[5]], f[7], f[8] && "id " + f[8], size(f[4]), "line " + f[2], when(f[3], true), f[11]].filter(Boolean).join(" · ");
  const out = el("div", null, el("p", {class: "dim"}, about));
  const panes = el("div", {class: "panes"});
  const before = f[12], after = f[13], reply = f[14];
  const changed = f[6] !== 0;
  if (!before) panes.append(el("p", {class: "dim"}, "The recording lacks this frame's bytes, or the report had no more room for them."));
  const edited = changed && after ? diff(before && before[0], after[0]) : null;
  if (before) panes.append(pane(changed ? "Before: what the sender sent" : "The frame", before, edited && edited.del, "del"));
  if (changed && after) panes.append(pane("After: what is delivered", after, edited.add, "add"));
  else if (changed) panes.append(el("div", {class: "pane"}, el("h3", null, "After"), el("p", {class: "dim"}, "Nothing is delivered.")));
  if (reply) panes.append(pane("Answer to the sender", reply, null, ""));
  out.append(panes);
  return out;
}
// Lines that differ, by the longest common run of lines; equal beginnings and
// ends are cut first, and what is too long for the table counts as changed.
function diff(a, b) {
  const x = (a || "").split("\n"), y = b.split("\n");
  let i = 0, j = 0;
  while (i < x.length && i < y.length && x[i] === y[i]) i++;
  while (j < x.length - i && j < y.length - i && x[x.length - 1 - j] === y[y.length - 1 - j]) j++;
  const p = x.slice(i, x.length - j), q = y.slice(i, y.length - j), del = new Set(), add = new Set();
  p.forEach((_, k) => del.add(i + k)); q.forEach((_, k) => add.add(i + k));
  if (p.length * q.length > 250000) return {del, add};
  const w = q.length + 1, t = new Uint16Array((p.length + 1) * w);
  for (let r = p.length - 1; r >= 0; r--) for (let c = q.length - 1; c >= 0; c--)
    t[r * w + c] = p[r] === q[c] ? t[(r + 1) * w + c + 1] + 1 : Math.max(t[(r + 1) * w + c], t[r * w + c + 1]);
  for (let r = 0, c = 0; r < p.length && c < q.length;) {
    if (p[r] === q[c]) { del.delete(i + r++); add.delete(i + c++); }
    else if (t[(r + 1) * w + c] >= t[r * w + c + 1]) r++; else c++;
  }
  return {del, add};
}
function pane(title, body, range, kind) {
  const pre = el("pre", {tabindex: 0, role: "region", "aria-label": title});
  const text = body[0], marks = body[1];
  let at = 0, m = 0, n = 0;
  for (const lineText of text.split("\n")) {
    const end = at + lineText.length, line = el("span", {class: "l" + (range && range.has(n) ? " " + kind : "")});
    let p = at;
    while (m < marks.length && marks[m][0] < end) {
      const [s, e, tier] = marks[m], from = Math.max(s, p), to = Math.min(e, end);
      if (from > p) line.append(text.slice(p, from));
      if (to > from) line.append(el("mark", {class: TIERS[tier]}, text.slice(from, to)));
      p = Math.max(p, to);
      if (e > end) break;
      m++;
    }
    line.append(text.slice(p, end));
    pre.append(line);
    at = end + 1; n++;
  }
  return el("div", {class: "pane"}, el("h3", null, title), pre);
}

// ---- timeline
let current = null, cursor = -1, drag = null;
function drawTimeline() {
  const box = $("time");
  if (!box) return;
  const s = current, cells = s[16], n = Math.max(cells.length, 1), W = 1000, H = 132, base = 96;
  const g = svg("svg", {viewBox: "0 0 " + W + " " + H, preserveAspectRatio: "none", "aria-hidden": "true"});
  const w = Math.min(W / n, 40), gap = w > 3 ? 0.8 : 0;
  let top = 1;
  for (const c of cells) if (c) top = Math.max(top, c[0] + c[1]);
  const scale = v => v ? Math.max(1.5, Math.sqrt(v / top) * (base - 8)) : 0;
  cells.forEach((c, i) => {
    if (!c) return;
    const x = i * w, all = scale(c[0] + c[1]), up = all * c[0] / Math.max(1, c[0] + c[1]);
    g.append(svg("rect", {class: "r-s2c", x, y: base - all, width: w - gap, height: all}), svg("rect", {class: "r-c2s", x, y: base - up, width: w - gap, height: up}));
    const mw = Math.max(w - gap, 2.4), mx = Math.min(x + (w - gap) / 2 - mw / 2, W - mw);
    if (c[2]) g.append(svg("rect", {class: "r-block", x: mx, y: 100, width: mw, height: 12}));
    if (c[3]) g.append(svg("rect", {class: "r-monitor", x: mx, y: 113, width: mw, height: 9}));
    if (c[4]) g.append(svg("rect", {class: "r-note", x: mx, y: 123, width: mw, height: 7}));
  });
  g.append(svg("line", {class: "r-base", x1: 0, x2: W, y1: base + 1, y2: base + 1}));
  if (state.from !== null && state.session === s[3]) {
    const a = (state.from - s[14]) / s[15], b = (state.to - s[14]) / s[15];
    g.append(svg("rect", {class: "r-sel", x: a * w, y: 0, width: Math.max(2, (b - a) * w), height: H}));
  }
  if (cursor >= 0) g.append(svg("line", {class: "r-cur", x1: (cursor + .5) * w, x2: (cursor + .5) * w, y1: 0, y2: H}));
  box.querySelector("svg").replaceWith(g);
  const end = s[14] + s[15] * n;
  $("t-from").textContent = s[13] ? when(s[14]) + " UTC" : "frame 0";
  $("t-to").textContent = s[13] ? when(Math.min(end, s[12] || end)) + " UTC" : "frame " + num(s[6] - 1);
  tip();
}
function tip() {
  const s = current, c = s[16][cursor];
  if (cursor < 0) { $("tip").textContent = "Drag over the timeline, or use the arrow keys and Enter, to filter by time."; return; }
  const at = s[14] + cursor * s[15];
  $("tip").textContent = (s[13] ? when(at, s[15] < 1e6) : "frame " + num(Math.max(0, at))) + ": " +
    (c ? plural(c[0] + c[1], "frame") + ", " + num(c[2]) + " block, " + num(c[3]) + " monitor, " + plural(c[4], "note") : "no frames");
}
function bucketAt(x) {
  const r = $("time").querySelector("svg").getBoundingClientRect(), n = current[16].length;
  const w = Math.min(1000 / Math.max(1, n), 40) / 1000 * r.width;
  return Math.max(0, Math.min(n - 1, Math.floor((x - r.left) / w)));
}
function brush(a, b) {
  const s = current;
  state.session = s[3]; state.from = s[14] + Math.min(a, b) * s[15]; state.to = s[14] + (Math.max(a, b) + 1) * s[15];
  refresh();
}
function timelineCard() {
  const usable = sum.sessions.filter(s => s[16].length), per = new Map();
  for (const s of usable) if (!s[5]) per.set(s[4], (per.get(s[4]) || 0) + 1);
  // A whole trace of one session says nothing more than the session.
  const list = usable.filter(s => !s[5] || per.get(s[4]) !== 1);
  if (!list.length) return null;
  const worth = s => s[8] * 1e12 + s[9] * 1e6 + s[10];
  current = list.reduce((a, b) => worth(b) > worth(a) || worth(b) === worth(a) && b[6] > a[6] ? b : a);
  const pick = el("select", {class: "field", id: "t-pick", "aria-label": "Session shown on the timeline", onchange: () => {
    current = sessions.get(+pick.value); cursor = -1; state.session = current[3]; state.from = state.to = null; drawTimeline(); refresh();
  }});
  const groups = new Map();
  for (const s of list) {
    if (!groups.has(s[4])) { const o = el("optgroup", {label: sum.traces[s[4]]}); groups.set(s[4], o); pick.append(o); }
    const counts = s[8] || s[9] ? " (" + num(s[8]) + " block, " + num(s[9]) + " monitor)" : "";
    groups.get(s[4]).append(el("option", {value: s[3]}, (s[5] ? "whole trace" : s[0] || s[1] || "the only session") + counts));
  }
  pick.value = current[3];
  const box = el("div", {class: "time", id: "time", tabindex: 0, role: "slider", "aria-label": "Timeline", "aria-describedby": "tip",
    "aria-valuemin": 0, "aria-valuemax": 1, "aria-valuenow": 0}, svg("svg", {}), el("div", {class: "axis"}, el("span", {id: "t-from"}), el("span", {id: "t-to"})));
  box.addEventListener("pointerdown", e => { if (e.button) return; drag = bucketAt(e.clientX); cursor = drag; drawTimeline(); });
  box.addEventListener("pointermove", e => {
    cursor = bucketAt(e.clientX);
    if (drag !== null) { state.session = current[3]; state.from = current[14] + Math.min(drag, cursor) * current[15]; state.to = current[14] + (Math.max(drag, cursor) + 1) * current[15]; }
    drawTimeline();
  });
  addEventListener("pointerup", () => { if (drag !== null) { const d = drag; drag = null; brush(d, cursor); drawTimeline(); } });
  box.addEventListener("pointerleave", () => { if (drag === null) { cursor = -1; drawTimeline(); } });
  box.addEventListener("keydown", e => {
    const n = current[16].length, hit = i => { const c = current[16][i]; return c && (c[2] || c[3] || c[4]); };
    const go = (d, any) => { let i = cursor < 0 ? (d > 0 ? -1 : n) : cursor; do i += d; while (i >= 0 && i < n && !any && !hit(i)); if (i >= 0 && i < n) cursor = i; };
    if (e.key === "ArrowRight") go(1, e.shiftKey); else if (e.key === "ArrowLeft") go(-1, e.shiftKey);
    else if (e.key === "Home") cursor = 0; else if (e.key === "End") cursor = n - 1;
    else if (e.key === "Enter" && cursor >= 0) brush(cursor, cursor);
    else if (e.key === "Escape") { cursor = -1; state.from = state.to = null; state.session = ""; refresh(); }
    else return;
    e.preventDefault();
    drawTimeline();
    box.setAttribute("aria-valuemax", n - 1); box.setAttribute("aria-valuenow", Math.max(0, cursor)); box.setAttribute("aria-valuetext", $("tip").textContent);
  });
  const key = (cls, text) => el("li", null, svg("svg", {viewBox: "0 0 10 10", "aria-hidden": "true"}, svg("rect", {class: cls, width: 10, height: 10})), text);
  return el("section", {class: "card", "aria-labelledby": "h-time"}, el("header", null, el("h2", {id: "h-time"}, "Timeline"), pick), box,
    el("p", {class: "tip", id: "tip"}),
    el("ul", {class: "legend"}, key("r-c2s", "frames to the server"), key("r-s2c", "frames to the client"), key("r-block", "block"), key("r-monitor", "monitor"), key("r-note", "note")));
}

// ---- charts
function bars(title, id, data, items, attr, pick) {
  const top = Math.max(1, ...items.map(i => i.parts.reduce((a, b) => a + b, 0)));
  const list = el("ul", {class: "bars"});
  for (const it of items) {
    const g = svg("svg", {viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true"});
    let x = 0;
    [["r-block", 0], ["r-monitor", 1], ["r-note", 2]].forEach(([cls, k]) => {
      const w = it.parts[k] && Math.max(0.8, 100 * it.parts[k] / top);
      if (w) { g.append(svg("rect", {class: cls, x, y: 0, width: w, height: 12})); x += w; }
    });
    const total = it.parts.reduce((a, b) => a + b, 0);
    const b = el("button", {type: "button", "aria-pressed": "false", title: it.hint, onclick: () => pick(it.name)}, el("span", {class: "name"}, it.name), g,
      el("span", {class: "n"}, num(total), el("span", {class: "sr"}, " findings" + (it.hint ? ", " + it.hint : ""))));
    b.dataset[attr] = it.name;
    list.append(el("li", null, b));
  }
  return el("section", {class: "card", "aria-labelledby": id}, el("header", null, el("h2", {id}, title)), items.length ? list : el("p", {class: "dim"}, "Nothing was found."), data);
}
function ruleBars() {
  const items = sum.rules.map(r => { const parts = [0, 0, 0]; parts[2 - r[5]] = r[7]; return {name: r[0], parts, hint: r[1], tier: r[5]}; });
  items.sort((a, b) => b.tier - a.tier || b.parts.reduce((x, y) => x + y) - a.parts.reduce((x, y) => x + y));
  return bars("By rule", "h-rules", null, items, "rule", name => { state.rule = state.rule === name ? "" : name; refresh(); });
}
function toolBars() {
  const hit = sum.tools.filter(t => t[2] + t[3] + t[4] > 0), items = hit.slice(0, 10).map(t => ({name: t[0], parts: [t[2], t[3], t[4]],
    hint: plural(t[1], "call") + ", " + num(t[2]) + " block, " + num(t[3]) + " monitor, " + num(t[4]) + " note"}));
  const clean = sum.tools.length - hit.length;
  const more = [hit.length > 10 && plural(hit.length - 10, "more tool") + " with findings", clean && plural(clean, "tool") + " without findings"].filter(Boolean).join(", ");
  return bars("By tool", "h-tools", more ? el("p", {class: "tip"}, more) : null, items, "tool", name => { state.tool = state.tool === name ? "" : name; refresh(); });
}

// ---- page
function verdict() {
  let kind = "good", sign = "✓", head = "Nothing that blocks", text = "No result in these recordings would have been stopped.";
  if (BLOCK) { kind = "bad"; sign = "!"; head = plural(BLOCK, "block finding"); text = "Facts about bytes that crossed the wire: secrets, hosts, control characters. Start with the block tier below."; }
  else if (MON) { kind = "warn"; sign = "?"; head = plural(MON, "monitor finding"); text = "Inferences worth a look. Nothing here is stopped unless you ask for it."; }
  const failed = sum.problems.some(p => p[3]);
  if (failed) text += " Not everything could be read: see Problems.";
  if (failed && !BLOCK) { kind = "warn"; sign = "?"; }
  return el("section", {class: "verdict " + kind, "aria-label": "Result"}, el("span", {class: "dot", "aria-hidden": "true"}, sign),
    el("div", null, el("strong", null, head), el("p", null, text)));
}
function tiles() {
  const d = el("dl", {class: "tiles"});
  const t = (k, v, cls, more) => d.append(el("div", {class: "tile " + (cls || "")}, el("dt", null, k), el("dd", null, v, more ? el("small", null, " " + more) : null)));
  t("block", num(BLOCK), "block"); t("monitor", num(MON), "monitor"); t("notes", num(NOTE), "note");
  if (ACC) t("accepted", num(ACC));
  t("frames", num(FR)); t("sessions", num(SE)); t("traces", num(TR)); t("read", size(BYTES));
  return d;
}
function themeButton() {
  const root = document.documentElement, names = {"": "System theme", light: "Light theme", dark: "Dark theme"}, order = ["", "light", "dark"];
  let now = "";
  try { now = localStorage.getItem("warden-theme") || ""; } catch (e) {}
  const b = el("button", {class: "btn", type: "button", onclick: () => set(order[(order.indexOf(now) + 1) % 3])});
  function set(t) {
    now = order.includes(t) ? t : "";
    if (now) root.dataset.theme = now; else delete root.dataset.theme;
    b.textContent = names[now];
    try { localStorage.setItem("warden-theme", now); } catch (e) {}
  }
  set(now);
  return b;
}
function options(select, all, values) {
  select.append(el("option", {value: ""}, all));
  for (const [v, text] of values) select.append(el("option", {value: v}, text));
  return select;
}
function findingsCard() {
  const field = (tag, id, label, props) => el(tag, Object.assign({id, class: "field", "aria-label": label}, props));
  const text = field("input", "f-text", "Search findings", {type: "search", placeholder: "Search rule, tool, evidence, file, fingerprint", oninput: () => { state.text = text.value; clearTimeout(text.t); text.t = setTimeout(refresh, 90); }});
  const change = key => e => { state[key] = e.target.value; refresh(); };
  const byCount = m => [...m].filter(([k]) => k !== "").sort((a, b) => b[1] - a[1]).slice(0, 500).map(([k, n]) => [k, k + " (" + num(n) + ")"]);
  const rule = options(field("select", "f-rule", "Rule", {onchange: change("rule")}), "All rules", byCount(tally(F.rule)));
  const tool = options(field("select", "f-tool", "Tool", {onchange: change("tool")}), "All tools", byCount(tally(F.tool)));
  const action = options(field("select", "f-action", "Action", {onchange: change("action")}), "All actions", ACTIONS.map((a, i) => [i, a]));
  const tiers = [2, 1, 0].map(t => el("button", {class: "chip", type: "button", "aria-pressed": "false", "data-tier": t,
    onclick: () => { state.tiers.has(t) ? state.tiers.delete(t) : state.tiers.add(t); refresh(); }}, TIERS[t]));
  const head = (key, text) => { const th = el("th", {scope: "col", "data-sort": key, "aria-sort": "none"});
    th.append(el("button", {type: "button", onclick: () => { if (state.sort === key) { if (state.down) { state.down = false; if (key !== "tier") state.sort = "order"; } else state.down = true; }
      else { state.sort = key; state.down = key === "tier"; } refresh(); }}, text)); return th; };
  const table = el("table", {class: "t-find"}, el("caption", {class: "sr"}, "Findings"),
    el("colgroup", null, ...["a", "b", "c", "d", "e"].map(c => el("col", {class: c}))),
    el("thead", null, el("tr", null, head("tier", "Tier"), head("rule", "Rule"), head("tool", "Tool"), el("th", {scope: "col"}, "What was found"), head("time", "Where and when"))),
    el("tbody", {id: "rows"}));
  const page = d => { state.page += d; drawRows(); $("findings").scrollIntoView({block: "start"}); };
  return el("section", {class: "card", id: "findings", "aria-labelledby": "h-find"},
    el("header", null, el("h2", {id: "h-find"}, "Findings"), el("span", {id: "count", class: "dim", role: "status", "aria-live": "polite"})),
    TOTAL > SHOWN ? el("p", {class: "tip"}, "The first " + num(SHOWN) + " of " + num(TOTAL) + " findings are listed; the charts count all. --json and --parquet hold every one.") : null,
    el("div", {class: "filters", role: "search"}, text, ...tiers, rule, tool, action, el("button", {class: "chip", type: "button", id: "f-span", hidden: true, title: "Remove this filter", onclick: () => { state.session = ""; state.from = state.to = null; if (current) drawTimeline(); refresh(); }}), el("button", {class: "btn", type: "button", id: "clear", onclick: clearAll}, "Clear filters")),
    table,
    el("div", {class: "pager"}, el("span", {id: "where"}), el("button", {class: "btn", type: "button", id: "prev", onclick: () => page(-1)}, "Previous"), el("button", {class: "btn", type: "button", id: "next", onclick: () => page(1)}, "Next")));
}
function sessionsCard() {
  const list = sum.sessions.filter(s => !s[5]);
  if (list.length < 2) return null;
  list.sort((a, b) => b[8] - a[8] || b[9] - a[9] || b[10] - a[10] || a[3] - b[3]);
  const shown = list.slice(0, 25), body = el("tbody");
  const draw = items => { for (const s of items) body.append(el("tr", null,
    el("td", null, el("button", {class: "open-btn", type: "button", onclick: () => { state.session = s[3]; state.from = state.to = null; if (s[16].length && $("t-pick") && $("t-pick").querySelector('[value="' + s[3] + '"]')) { current = s; cursor = -1; $("t-pick").value = s[3]; drawTimeline(); } refresh(); $("findings").scrollIntoView(); }}, s[0] || sum.traces[s[4]]),
      el("span", {class: "ev"}, [s[0] && sum.traces[s[4]], s[1]].filter(Boolean).join(" · "))),
    el("td", {class: "num"}, num(s[6])), el("td", {class: "num"}, num(s[7])), el("td", {class: "num"}, num(s[8])), el("td", {class: "num"}, num(s[9])), el("td", {class: "num"}, num(s[10])))); };
  draw(shown);
  const more = list.length > 25 ? el("button", {class: "btn", type: "button", onclick: e => { draw(list.slice(25)); e.target.remove(); }}, "Show all " + num(list.length) + " sessions") : null;
  const h = (t, c) => el("th", {scope: "col", class: c}, t);
  return el("section", {class: "card", "aria-labelledby": "h-sess"}, el("header", null, el("h2", {id: "h-sess"}, "Sessions")),
    el("div", {class: "scroll"}, el("table", null, el("thead", null, el("tr", null, h("Session"), h("Frames", "num"), h("Calls", "num"), h("Block", "num"), h("Monitor", "num"), h("Notes", "num"))), body)),
    more, RESTS ? el("p", {class: "tip"}, plural(RESTS, "session") + " with fewer findings are not listed.") : null);
}
function problemsCard() {
  if (!sum.problems.length) return null;
  const box = el("section", {class: "card", "aria-labelledby": "h-prob"}, el("header", null, el("h2", {id: "h-prob"}, "Problems")));
  for (const [trace, message, line, fatal] of sum.problems) box.append(el("p", {class: "problem"}, el("span", {class: "tag " + (fatal ? "block" : "note")}, fatal ? "error" : "notice"), " ",
    el("span", {class: "mono"}, trace + (line ? ":" + line : "")), " ", message));
  if (RESTP) box.append(el("p", {class: "tip"}, plural(RESTP, "more problem") + "."));
  return box;
}
function keys(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { if (e.key === "Escape" && e.target.id === "f-text") e.target.blur(); return; }
  if (e.key === "/") { e.preventDefault(); $("f-text").focus(); return; }
  if (e.key !== "j" && e.key !== "k" && e.key !== "n" && e.key !== "p") return;
  const all = [...document.querySelectorAll(".open-btn[data-i]")], at = all.indexOf(document.activeElement), d = e.key === "j" || e.key === "n" ? 1 : -1;
  const next = all[at < 0 ? 0 : at + d];
  if (next) { next.focus(); next.scrollIntoView({block: "nearest"}); }
}
const logo = svg("svg", {viewBox: "0 0 32 32", width: 30, height: 30, "aria-hidden": "true"}, svg("path", {d: "M16 2l12 4v9c0 8-5 13-12 15C9 28 4 23 4 15V6z", fill: "currentColor", opacity: ".14"}),
  svg("path", {d: "M16 2l12 4v9c0 8-5 13-12 15C9 28 4 23 4 15V6z M10 16l4.5 4.5L22 12", fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linejoin": "round", "stroke-linecap": "round"}));
const what = sum.files.length === 1 ? sum.traces[sum.files[0][2]] : plural(TR, "trace");
document.title = "warden: " + (BLOCK ? plural(BLOCK, "block finding") : "nothing that blocks") + " in " + what;
document.documentElement.classList.add("js");
$("app").append(el("a", {class: "skip", href: "#findings"}, "Skip to the findings"),
  el("header", {class: "top"}, el("div", {class: "wrap"}, el("div", {class: "brand"}, logo, el("div", null, el("h1", null, "warden report"), el("p", null, what))), themeButton())),
  el("main", {class: "wrap"}, ...[verdict(), tiles(), problemsCard(), timelineCard(), el("div", {class: "two"}, ruleBars(), toolBars()), findingsCard(), sessionsCard()].filter(Boolean),
    el("footer", null, "warden " + sum.run[0] + " · rules " + sum.run[1] + " · coverage " + sum.run[2] + " · exit code " + EXIT + ". This file makes no request.",
      el("p", {class: "keys"}, el("kbd", null, "/"), " search  ", el("kbd", null, "j"), " ", el("kbd", null, "k"), " next and previous finding  ", el("kbd", null, "Enter"), " open"))));
if (current) drawTimeline();
refresh();
addEventListener("keydown", keys);
// On paper all that match are wanted, not one page of them.
addEventListener("beforeprint", () => { const body = $("rows"); body.replaceChildren(...view.slice(0, 1000).map(row)); });
addEventListener("afterprint", drawRows);
})();
