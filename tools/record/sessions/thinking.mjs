// A line of thought with a revision and a branch.
import { connect, settle } from './client.mjs';

export async function run(transport) {
  const client = await connect(transport);
  await client.listTools();
  const think = (n, thought, more = {}) =>
    settle(client.callTool({ name: 'sequentialthinking', arguments: { thought, thoughtNumber: n, totalThoughts: 4, nextThoughtNeeded: n < 4, ...more } }));

  await think(1, 'List what the archive holds: plain files, compressed files, tars.');
  await think(2, 'Compressed files may be cut short; read what is there and say so.');
  await think(3, 'No: first tell by content what a file is, the name may lie.', { isRevision: true, revisesThought: 1 });
  await think(3, 'Or stream everything and decide by the first frames.', { branchFromThought: 2, branchId: 'stream' });
  await think(4, 'Streaming it is: memory must not grow with the file.', { needsMoreThoughts: false });
  await think(-1, 'A number below the minimum.'); // refused by the schema
}
