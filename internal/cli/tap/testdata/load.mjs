// load.mjs PACKAGES CLIENT TOOL ROUNDS MCPDBG TAP -- COMMAND... connects a client of the
// TypeScript SDK to COMMAND, a tap with the name TAP, calls TOOL all the time, and has the
// server restarted at random moments. CLIENT is ts1, ts2 (the era is negotiated),
// ts2-legacy or codex. The output is one line of JSON.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectCodex } from './codex.mjs';

const [packages, kind, tool, rounds, mcpdbg, tap] = process.argv.slice(2);
const [command, ...args] = process.argv.slice(9);
const load = (path) => import(`${packages}/@modelcontextprotocol/${path}`);
const seen = { ok: 0, errors: {}, wrong: [], sent: [], restarts: [], problems: [], closed: false, tools: [0, 0] };

// connect returns a client with the methods of those of the SDK that are used here.
async function connect() {
  if (kind === 'codex') return connectCodex(packages, command, args, () => { seen.closed = true; });
  const old = kind === 'ts1';
  const { Client } = await load(old ? 'sdk/dist/esm/client/index.js' : 'client/dist/index.mjs');
  const { StdioClientTransport } = await load(old ? 'sdk/dist/esm/client/stdio.js' : 'client/dist/stdio.mjs');
  const options = { capabilities: {}, listChanged: { tools: { onChanged: () => {} } } };
  if (!old) options.versionNegotiation = { mode: kind === 'ts2' ? 'auto' : 'legacy' };
  const client = new Client({ name: 'load', version: '1' }, options);
  client.onerror = (e) => seen.problems.push(e.message.slice(0, 300));
  client.onclose = () => { seen.closed = true; };
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' }));
  return client;
}
const client = await connect();
seen.tools[0] = (await client.listTools()).tools.length;

let stop = false, n = 0;
const calls = tool === 'add'
  ? (k) => [{ a: k, b: 1 }, `{"sum":${k + 1}}`]
  : (k) => [{ message: `call ${k}` }, `call ${k}`];
async function worker() {
  while (!stop && !seen.closed) {
    const [args, want] = calls(n++);
    seen.sent.push(want);
    try {
      const text = (await client.callTool({ name: tool, arguments: args })).content[0].text;
      if (text.endsWith(want)) seen.ok++;
      else seen.wrong.push([want, text]);
    } catch (e) {
      seen.errors[e.message] = (seen.errors[e.message] ?? 0) + 1;
    }
    await sleep(Math.random() * 5);
  }
}
const workers = [worker(), worker(), worker()];
const run = (...args) => new Promise((done) => execFile(mcpdbg, args, (e, out, err) => done(out + err)));
for (let i = 0; i < Number(rounds); i++) {
  await sleep(Math.random() * 200); // a random moment
  seen.restarts.push(await run('tap', 'restart', tap));
}
const answered = () => seen.ok + seen.wrong.length;
for (const before = answered(); answered() < before + 20 && !seen.closed;) await sleep(5);
stop = true;
await Promise.all(workers);
if (!seen.closed) seen.tools[1] = (await client.listTools()).tools.length;
const closed = seen.closed;
await client.close();
process.stdout.write(JSON.stringify({ ...seen, closed }) + '\n', () => process.exit(0)); // exit drops what is not written
