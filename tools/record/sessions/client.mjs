// What all sessions share: a client that can be asked things by its server.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

// connect opens a session whose client answers sampling, elicitation and
// roots with fixed, harmless values.
export async function connect(transport, root = '/tmp/demo') {
  const client = new Client(
    { name: 'warden-record', version: '1.0.0' },
    { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } } },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file://${root}`, name: 'demo' }] }));
  client.setRequestHandler(CreateMessageRequestSchema, (request) => ({
    model: 'recorded-model',
    role: 'assistant',
    stopReason: 'endTurn',
    content: { type: 'text', text: `Sampled answer to ${request.params.messages.length} message(s).` },
  }));
  client.setRequestHandler(ElicitRequestSchema, (request) => {
    if (request.params.mode === 'url') return { action: 'decline' };
    const content = {};
    for (const [name, schema] of Object.entries(request.params.requestedSchema?.properties ?? {})) {
      const value = answer(name, schema);
      if (value !== undefined) content[name] = value;
    }
    return { action: 'accept', content };
  });
  await client.connect(transport);
  return client;
}

// answer fills a field of an elicitation form with something that fits it.
function answer(name, schema) {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.oneOf) return schema.oneOf[0].const;
  switch (schema.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'array':
      return [schema.items?.enum?.[0] ?? schema.items?.anyOf?.[0]?.const].filter((v) => v !== undefined);
    case 'string':
      if (schema.format === 'email') return 'reader@example.com';
      if (schema.format === 'uri') return 'https://example.com/';
      if (schema.format === 'date') return '2026-11-02';
      if (schema.format === 'date-time') return '2026-11-02T08:00:00Z';
      return `recorded ${name}`.slice(0, schema.maxLength ?? 40);
  }
  return undefined;
}

// settle waits for a promise and lets a protocol error be part of the session.
export async function settle(promise) {
  try {
    return await promise;
  } catch (err) {
    if (err.code === undefined && err.name !== 'AbortError') throw err;
    return undefined;
  }
}
