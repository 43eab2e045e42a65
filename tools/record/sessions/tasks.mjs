// Tool calls that run as tasks: the tool's result comes long after the answer
// to its call, from tasks/result.
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { connect } from './client.mjs';

export async function run(transport) {
  const client = await connect(transport);
  await client.listTools();
  for (const ambiguous of [false, true]) {
    const stream = client.experimental.tasks.callToolStream(
      { name: 'simulate-research-query', arguments: { topic: 'tide mills', ambiguous } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    );
    let last;
    for await (const message of stream) last = message;
    if (last?.type !== 'result') throw new Error(`the task ended with ${JSON.stringify(last)}`);
  }
  await client.experimental.tasks.listTasks();
}
