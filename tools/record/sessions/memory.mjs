// A knowledge graph is built, searched and taken apart again.
import { connect, settle } from './client.mjs';

export async function run(transport) {
  const client = await connect(transport);
  await client.listTools();
  const call = (name, args) => settle(client.callTool({ name, arguments: args }));

  await call('create_entities', {
    entities: [
      { name: 'Harbour Office', entityType: 'place', observations: ['opens at eight', 'keeps the tide tables'] },
      { name: 'Ines', entityType: 'person', observations: ['speaks português — and 日本語'] },
      { name: 'Ferry 4', entityType: 'ship', observations: [] },
    ],
  });
  await call('create_relations', {
    relations: [
      { from: 'Ines', to: 'Harbour Office', relationType: 'works at' },
      { from: 'Ferry 4', to: 'Harbour Office', relationType: 'reports to' },
    ],
  });
  await call('add_observations', { observations: [{ entityName: 'Ferry 4', contents: ['carries 40 cars', 'was painted in 2024'] }] });
  await call('add_observations', { observations: [{ entityName: 'Nobody', contents: ['is not there'] }] }); // an error of the tool
  await call('search_nodes', { query: 'tide' });
  await call('open_nodes', { names: ['Ines', 'Ferry 4'] });
  await call('read_graph', {});
  await call('delete_observations', { deletions: [{ entityName: 'Ferry 4', observations: ['was painted in 2024'] }] });
  await call('delete_relations', { relations: [{ from: 'Ferry 4', to: 'Harbour Office', relationType: 'reports to' }] });
  await call('delete_entities', { entityNames: ['Ferry 4'] });
  await call('create_entities', { entities: 'not a list' }); // refused by the schema
  await call('read_graph', {});
  await client.ping();
}
