// relay.mjs OUT [--name TEXT]... -- COMMAND ARG...
//
// Stands between an MCP client and a server on stdio, passes every byte on as it
// came, and writes each frame to OUT in the canonical trace form: one line a
// frame, {"direction","ts","frame"}, the frame's own bytes embedded untouched
// (number spelling, key order, repeated keys and escapes survive). Bytes that
// can't stand inside a line of JSON are written as raw_b64.
//
// --name gives the command that the trace's meta line shows, word by word, so
// that a recording names the program and not the place where it was installed.
import { spawn } from 'node:child_process';
import { openSync, writeSync, closeSync } from 'node:fs';

const split = process.argv.indexOf('--');
if (split < 3 || split === process.argv.length - 1) {
  process.stderr.write('usage: relay.mjs OUT [--name WORD]... -- COMMAND ARG...\n');
  process.exit(2);
}
const out = process.argv[2];
const command = process.argv.slice(split + 1);
const shown = [];
for (let i = 3; i < split; i += 2) {
  if (process.argv[i] !== '--name') throw new Error(`unknown option ${process.argv[i]}`);
  shown.push(process.argv[i + 1]);
}

// Wall time at the start plus the monotonic clock since: microseconds, and
// never backwards.
const wall = Date.now();
const mono = process.hrtime.bigint();
function now() {
  const us = BigInt(wall) * 1000n + (process.hrtime.bigint() - mono) / 1000n;
  const seconds = new Date(Number(us / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(us % 1000000n).padStart(6, '0')}Z`;
}

const fd = openSync(out, 'w', 0o600);
writeSync(fd, JSON.stringify({ meta: { warden_trace: 1, command: shown.length ? shown : command, started: now() } }) + '\n');

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
function embeddable(frame) {
  if (frame.includes(0x0d)) return false;
  try {
    JSON.parse(strict.decode(frame));
    return true;
  } catch {
    return false;
  }
}

function record(direction, frame) {
  const head = `{"direction":"${direction}","ts":"${now()}",`;
  const line = embeddable(frame)
    ? Buffer.concat([Buffer.from(`${head}"frame":`), frame, Buffer.from('}\n')])
    : Buffer.from(`${head}"raw_b64":"${frame.toString('base64')}"}\n`);
  writeSync(fd, line);
}

// Pass data on and record each whole line of it. A line is recorded before it
// is passed on, so an answer never stands before its request.
function pump(from, to, direction) {
  let rest = [];
  from.on('data', (chunk) => {
    let start = 0;
    for (let end; (end = chunk.indexOf(0x0a, start)) >= 0; start = end + 1) {
      const frame = Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      if (frame.length > 0) record(direction, frame);
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    if (!to.write(chunk)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  });
  from.on('end', () => {
    if (rest.length > 0) record(direction, Buffer.concat(rest));
    to.end();
  });
  to.on('error', () => from.destroy());
}

const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], shell: false });
child.on('error', (err) => {
  process.stderr.write(`relay: can't start ${command[0]}: ${err.message}\n`);
  process.exit(2);
});
pump(process.stdin, child.stdin, 'c2s');
pump(child.stdout, process.stdout, 's2c');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('close', (code, signal) => {
  closeSync(fd);
  process.exitCode = signal ? 1 : code;
});
