// Reads every text file under a directory once, in a fixed order: benign
// results for the precision measurement (bench/precision).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect, settle } from './client.mjs';

export async function run(transport, { tree }) {
  const client = await connect(transport, tree);
  await client.listTools();
  const files = readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath ?? e.path, e.name))
    .sort();
  await settle(client.callTool({ name: 'directory_tree', arguments: { path: tree } }));
  for (const path of files) await settle(client.callTool({ name: 'read_text_file', arguments: { path } }));
  process.stdout.write(`${files.length} files read\n`);
}
