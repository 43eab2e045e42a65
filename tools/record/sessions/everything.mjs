// The reference server that has a bit of every feature. Its get-env tool is
// never called: what it returns belongs to the machine that records.
import { connect, settle } from './client.mjs';

export async function run(transport) {
  const client = await connect(transport);
  const { tools } = await client.listTools();
  const offered = new Set(tools.map((t) => t.name));
  const call = (name, args = {}, options = {}) =>
    offered.has(name) ? settle(client.callTool({ name, arguments: args }, undefined, options)) : undefined;

  await client.ping();
  await settle(client.setLoggingLevel('debug'));
  await call('echo', { message: 'hello from the recorder' });
  await call('echo', { message: 'naïve café — 日本語 🚀 "quoted" \\ back' });
  await call('get-sum', { a: 20, b: 22 });
  await call('get-sum', { a: 'twenty', b: 22 }); // refused: not a number
  await call('get-annotated-message', { messageType: 'error', includeImage: true });
  await call('get-structured-content', { location: 'Chicago' });
  await call('get-resource-links', { count: 3 });
  await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 });
  await call('get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
  await call('get-tiny-image');
  await call('get-roots-list');

  const progress = [];
  await call('trigger-long-running-operation', { duration: 1, steps: 4 }, { onprogress: (p) => progress.push(p) });
  const abort = new AbortController();
  const cancelled = call('trigger-long-running-operation', { duration: 2, steps: 10 }, { signal: abort.signal, onprogress: () => abort.abort('the user moved on') });
  await settle(cancelled);

  await call('trigger-sampling-request', { prompt: 'Name a river.', maxTokens: 20 });
  await call('trigger-elicitation-request');
  await call('toggle-simulated-logging');
  await call('toggle-simulated-logging');
  await settle(client.callTool({ name: 'no-such-tool', arguments: {} }));

  const { resources } = await client.listResources();
  await client.listResourceTemplates();
  if (resources.length > 0) {
    await settle(client.subscribeResource({ uri: resources[0].uri }));
    await settle(client.readResource({ uri: resources[0].uri }));
    await settle(client.unsubscribeResource({ uri: resources[0].uri }));
  }
  await settle(client.readResource({ uri: 'demo://resource/dynamic/text/7' }));
  await settle(client.readResource({ uri: 'demo://resource/none' }));
  const { prompts } = await client.listPrompts();
  for (const prompt of prompts) {
    const args = Object.fromEntries((prompt.arguments ?? []).map((a) => [a.name, a.name === 'resourceId' ? '1' : a.name === 'resourceType' ? 'Text' : 'Berlin']));
    await settle(client.getPrompt({ name: prompt.name, arguments: args }));
  }
  await settle(client.complete({ ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } }));
  await client.sendRootsListChanged();
  // Several calls in flight at once, answered in the server's own order.
  await Promise.all([1, 2, 3, 4, 5].map((n) => call('echo', { message: `parallel ${n}` })));
  if (progress.length === 0) throw new Error('no progress was reported');
}
