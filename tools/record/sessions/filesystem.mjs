// A small tree is written, listed, read, edited, searched and moved, and the
// server is asked for what lies outside of it.
import { join } from 'node:path';
import { connect, settle } from './client.mjs';

const notes = `# Tide tables

| day | high | low |
|---|---|---|
| Mon | 06:12 | 12:30 |
| Tue | 07:01 | 13:19 |

Kept by the harbour office; see https://example.com/tides for the rest.
`;
const program = `package main

import "fmt"

// greet says hello to each of its arguments & never returns an error.
func greet(names ...string) {
\tfor i, n := range names {
\t\tfmt.Printf("%d: hello, %s <%q>\\n", i, n, n)
\t}
}

func main() { greet("Ines", "日本語", "naïve") }
`;

export async function run(transport, { root }) {
  const client = await connect(transport, root);
  await client.listTools();
  const at = (...p) => join(root, ...p);
  const call = (name, args) => settle(client.callTool({ name, arguments: args }));

  await call('list_allowed_directories', {});
  await call('create_directory', { path: at('docs') });
  await call('write_file', { path: at('docs', 'tides.md'), content: notes });
  await call('write_file', { path: at('main.go'), content: program });
  await call('write_file', { path: at('empty.txt'), content: '' });
  await call('read_text_file', { path: at('main.go') });
  await call('read_text_file', { path: at('docs', 'tides.md'), head: 3 });
  await call('read_text_file', { path: at('docs', 'tides.md'), tail: 2 });
  await call('read_multiple_files', { paths: [at('main.go'), at('docs', 'tides.md'), at('not-there.txt')] });
  await call('edit_file', { path: at('docs', 'tides.md'), edits: [{ oldText: '06:12', newText: '06:14' }], dryRun: true });
  await call('edit_file', { path: at('docs', 'tides.md'), edits: [{ oldText: '06:12', newText: '06:14' }] });
  await call('list_directory', { path: root });
  await call('list_directory_with_sizes', { path: root });
  await call('directory_tree', { path: root });
  await call('search_files', { path: root, pattern: '**/*.md' });
  await call('get_file_info', { path: at('main.go') });
  await call('move_file', { source: at('empty.txt'), destination: at('docs', 'empty.txt') });
  await call('read_text_file', { path: '/etc/hostname' }); // outside: refused
  await call('read_text_file', { path: at('..', 'secrets.txt') }); // outside: refused
  await call('read_text_file', { path: at('gone.txt') });
  await call('list_directory', { path: at('docs') });
}
