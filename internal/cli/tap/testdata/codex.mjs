// The app server of Codex as an MCP client with one server.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function connectCodex(packages, command, args, onEnd) {
  const home = mkdtempSync(join(tmpdir(), 'codex'));
  const text = JSON.stringify; // a TOML string or array, too
  writeFileSync(join(home, 'config.toml'), `[mcp_servers.s]\ncommand = ${text(command)}\nargs = ${text(args)}\n`);
  const codex = spawn(join(packages, '.bin', 'codex'), ['app-server'], { env: { ...process.env, CODEX_HOME: home }, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((done) => codex.on('exit', done));
  ended.then(onEnd);
  const open = new Map();
  createInterface({ input: codex.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method || !open.has(message.id)) return;
    open.get(message.id)(message);
    open.delete(message.id);
  });
  let id = 0;
  const ask = async (method, params) => {
    codex.stdin.write(text({ id, method, params }) + '\n');
    const { result, error } = await new Promise((done) => open.set(id++, done));
    if (error) throw new Error(error.message);
    return result;
  };
  await ask('initialize', { clientInfo: { name: 'load', version: '1' } });
  codex.stdin.write('{"method":"initialized"}\n');
  const { thread } = await ask('thread/start', { ephemeral: true, cwd: home });
  return {
    callTool: (call) => ask('mcpServer/tool/call', { threadId: thread.id, server: 's', tool: call.name, arguments: call.arguments }),
    // It lists tools with another process.
    listTools: async () => ({ tools: [{}] }),
    close: async () => {
      codex.stdin.end();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
