#!/usr/bin/env node
// record.mjs SERVER OUT [--root DIR] [--tree DIR] [--via PROGRAM ARG...]
//
// Runs a scripted session of the TypeScript SDK's client against a server from
// npm, through relay.mjs, and leaves the recording in OUT.
//
//   SERVER   everything, tasks, filesystem, memory, thinking, or tree
//   --root   the one directory that the filesystem server may see; it is made
//            anew and removed at the end (default /tmp/demo)
//   --tree   with "tree": a directory of text files, each read once
//   --via    a program to put before the server's command, with its own
//            arguments, as the rest of the line (a guard, for one)
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

const servers = {
  everything: { pkg: 'server-everything', bin: 'mcp-server-everything', args: () => ['stdio'] },
  filesystem: { pkg: 'server-filesystem', bin: 'mcp-server-filesystem', args: (o) => [o.root], root: true },
  memory: { pkg: 'server-memory', bin: 'mcp-server-memory', args: () => [], root: true, env: (o) => ({ MEMORY_FILE_PATH: join(o.root, 'memory.jsonl') }) },
  thinking: { pkg: 'server-sequential-thinking', bin: 'mcp-server-sequential-thinking', args: () => [] },
  tasks: { pkg: 'server-everything', bin: 'mcp-server-everything', args: () => ['stdio'] },
  tree: { pkg: 'server-filesystem', bin: 'mcp-server-filesystem', args: (o) => [o.tree] },
};

function options(argv) {
  const o = { root: '/tmp/demo', tree: '', via: [] };
  const rest = [];
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--root') o.root = resolve(argv[++i]);
    else if (argv[i] === '--tree') o.tree = resolve(argv[++i]);
    else if (argv[i] === '--via') {
      o.via = argv.slice(i + 1);
      break;
    } else rest.push(argv[i]);
  }
  [o.server, o.out] = rest;
  if (rest.length !== 2 || !servers[o.server] || (o.server === 'tree' && !o.tree)) {
    process.stderr.write(`usage: record.mjs ${Object.keys(servers).join('|')} OUT [--root DIR] [--tree DIR] [--via PROGRAM ARG...]\n`);
    process.exit(2);
  }
  return o;
}

// The script that a package names as its program.
function program(spec) {
  const manifest = join(here, 'node_modules', '@modelcontextprotocol', spec.pkg, 'package.json');
  return join(dirname(manifest), require(manifest).bin[spec.bin]);
}

const o = options(process.argv.slice(2));
const spec = servers[o.server];
if (spec.root) {
  rmSync(o.root, { recursive: true, force: true });
  mkdirSync(o.root, { recursive: true });
}
const { run } = await import(`./sessions/${o.server}.mjs`);
const named = [spec.bin, ...spec.args(o)].flatMap((w) => ['--name', w]);
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [join(here, 'relay.mjs'), o.out, ...named, '--', ...o.via, process.execPath, program(spec), ...spec.args(o)],
  env: spec.env?.(o) ?? {},
  stderr: process.env.RECORD_VERBOSE ? 'inherit' : 'ignore',
});
// A session that hangs is a failure, not a long one.
const watchdog = setTimeout(() => {
  process.stderr.write(`record: ${o.server}: no end after 300 s\n`);
  process.exit(1);
}, 300_000);
try {
  await run(transport, o);
} catch (err) {
  process.stderr.write(`record: ${o.server}: ${err.stack ?? err}\n`);
  process.exitCode = 1;
} finally {
  await transport.close();
  clearTimeout(watchdog);
  if (spec.root) rmSync(o.root, { recursive: true, force: true });
}
