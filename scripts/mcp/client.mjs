// node client.mjs CACHE CLAWCTL SOURCE: the official clients list and call every tool of clawctl mcp, in every version
// of the protocol that they speak. CACHE has the npm packages. It prints a line for each client, or fails.
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [cache, command, source] = process.argv.slice(2);
const load = file => import(pathToFileURL(path.join(cache, 'node_modules/@modelcontextprotocol', file)));
const { Client: OldClient } = await load('sdk/dist/esm/client/index.js');
const { StdioClientTransport: OldTransport } = await load('sdk/dist/esm/client/stdio.js');
const { Client } = await load('client/dist/index.mjs');
const { StdioClientTransport } = await load('client/dist/stdio.mjs');

const identity = { name: 'test', version: '1' };
const clients = {
  'sdk 1': [OldClient, OldTransport, {}],
  'client 2, legacy': [Client, StdioClientTransport, {}],
  'client 2, auto': [Client, StdioClientTransport, { versionNegotiation: { mode: 'auto' } }],
  'client 2, 2026-07-28': [Client, StdioClientTransport, { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
};

// What every tool is called with, and what its answer contains.
const session = 'agent:main:main';
const calls = {
  recall: [{ query: 'watering valve' }, 'entry 85ab76c6'],
  search: [{ query: 'greenhouse.py', in: 'result' }, 'entry dd14fb2d'],
  show: [{ session, entry: '85ab76c6', messages: 1 }, 'opens the valve twice'],
  sessions: [{ limit: 3 }, 'agent:research:main'],
  stats: [{ by: 'model' }, 'claude-sonnet-4-5'],
  context: [{ session }, 'percent: 6'],
  handoff: [{ session, budget: 600 }, '## Latest request'],
};

for (const [name, [Kind, Transport, options]] of Object.entries(clients)) {
  const client = new Kind(identity, options);
  await client.connect(new Transport({ command, args: ['mcp', source], stderr: 'inherit' }));
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(t => t.name).sort(), Object.keys(calls).sort());
  for (const tool of tools) {
    assert.equal(tool.annotations.readOnlyHint, true);
    const [args, expected] = calls[tool.name];
    const { content, isError } = await client.callTool({ name: tool.name, arguments: args });
    assert.ok(!isError && content[0].text.includes(expected), `${name}: ${tool.name}: ${content[0].text}`);
  }
  const refused = await client.callTool({ name: 'show', arguments: { session: '/etc/passwd' } });
  assert.ok(refused.isError && refused.structuredContent.code === 'CL909');
  await assert.rejects(client.callTool({ name: 'rm', arguments: {} }));
  const cancel = new AbortController();
  const cancelled = client.callTool({ name: 'stats', arguments: {} }, ...(Kind === OldClient ? [undefined] : []),
    { signal: cancel.signal });
  cancel.abort();
  await assert.rejects(cancelled);
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: 'recall', arguments: calls.recall[0] })));
  assert.equal(new Set(answers.map(a => a.content[0].text)).size, 1);
  await client.close();
  console.log(`${name}: ${tools.length} tools`);
}
