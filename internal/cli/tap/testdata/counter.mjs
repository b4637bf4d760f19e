// counter.mjs FILE is a server that appends the message of each call to FILE before it
// answers, a moment later.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
const tools = ['echo', 'add'].map((name) => ({ name, inputSchema: { type: 'object' } }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  if (method === 'initialize') return say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'counter', version: '1' } } });
  if (method === 'tools/list') return say({ id, result: { tools } });
  if (method === 'ping') return say({ id, result: {} });
  if (method !== 'tools/call') return say({ id, error: { code: -32601, message: 'Method not found' } });
  const text = params.arguments.message;
  appendFileSync(process.argv[2], text + '\n');
  setTimeout(() => say({ id, result: { content: [{ type: 'text', text }] } }), Math.random() * 20);
}).on('close', () => process.exit(0));
