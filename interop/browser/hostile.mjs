// Recordings that try to get out of the report: markup, handlers, the end of the
// data block, direction overrides, very long strings, in every place that the
// page shows. Each attempt would set window.pwned or make a request.
export const breaks = "^|^l^c<^"; // what stands between the texts of a block, and what < and ^ are there
const evil = [
  breaks,
  "<script>window.pwned=1</script>",
  "</script><script>window.pwned=2</script>",
  "<img src=x onerror=window.pwned=3>",
  "\"><svg onload=window.pwned=4>",
  "'-window.pwned=5-'",
  "<!--<script>", "]]>", "</style><style>*{display:none}</style>",
  "javascript:window.pwned=6",
  "<iframe srcdoc='<script>parent.pwned=7</script>'></iframe>",
  "<link rel=stylesheet href=https://evil.test/x.css><base href=https://evil.test/>",
  "${window.pwned=8}{{constructor.constructor('window.pwned=9')()}}",
];
export const override = String.fromCodePoint(0x202e), zeroWidth = String.fromCodePoint(0x200b), escape = String.fromCodePoint(0x1b);

// hostile returns the lines of a trace in the canonical form.
export function hostile() {
  const lines = [];
  let ts = Date.UTC(2026, 4, 4, 12);
  const add = (session, dir, frame) => lines.push(JSON.stringify({ts: new Date(ts += 250).toISOString(), dir, session, frame}));
  evil.forEach((e, i) => {
    const session = "s" + e, id = "id" + e, name = "tool" + e + override + "gnp.exe" + zeroWidth;
    add(session, "c2s", {jsonrpc: "2.0", id: "i" + i, method: "initialize", params: {}});
    add(session, "s2c", {jsonrpc: "2.0", id: "i" + i, result: {protocolVersion: e, serverInfo: {name: e, version: override}}});
    add(session, "c2s", {jsonrpc: "2.0", id, method: "tools/call", params: {name, arguments: {[e]: e}}});
    add(session, "s2c", {jsonrpc: "2.0", id, result: {content: [{type: "text", text: e + " " + escape + "[31m" + e + override + " see http://127.0.0.1/" + e}], [e]: e}});
    add(session, "s2c", {jsonrpc: "2.0", method: "notifications/" + e, params: {[e]: e}});
  });
  // Two megabytes in a text, a name, an id.
  const long = "<b>x</b>".repeat(262144);
  add("long", "c2s", {jsonrpc: "2.0", id: long, method: "tools/call", params: {name: long, arguments: {}}});
  add("long", "s2c", {jsonrpc: "2.0", id: long, result: {content: [{type: "text", text: long + escape + long}]}});
  return lines.join("\n") + "\n";
}

// many returns a trace with more findings than the page lists.
export function many(n) {
  const lines = [];
  let ts = Date.UTC(2026, 4, 4, 12);
  for (let i = 0; i < n; i++) {
    const tool = "tool_" + i % 37;
    lines.push(JSON.stringify({ts: new Date(ts += 40).toISOString(), dir: "c2s", frame: {jsonrpc: "2.0", id: i, method: "tools/call", params: {name: tool, arguments: {i}}}}));
    lines.push(JSON.stringify({ts: new Date(ts += 40).toISOString(), dir: "s2c", frame: {jsonrpc: "2.0", id: i, result: {content: [{type: "text", text: "line " + i + " " + escape + "[1mbold"}]}}}));
  }
  return lines.join("\n") + "\n";
}

// turns returns a trace in which sessions take turns, a frame each: the neighbours of a
// finding, the fourth frame of each, are far from it.
export function turns(sessions) {
  const lines = [];
  let ts = Date.UTC(2026, 4, 4, 12);
  for (let k = 0; k < 8; k++) for (let s = 0; s < sessions; s++) {
    const frame = k % 2 ? {jsonrpc: "2.0", id: k, result: {content: [{type: "text", text: k === 3 ? escape + "[1m" : "fine"}]}}
      : {jsonrpc: "2.0", id: k + 1, method: "tools/call", params: {name: "t", arguments: {}}};
    lines.push(JSON.stringify({ts: new Date(ts += 40).toISOString(), dir: k % 2 ? "s2c" : "c2s", session: "s" + s, frame}));
  }
  return lines.join("\n") + "\n";
}
