// A server on serveStdio of the TypeScript SDK. Its argument is what a client of the
// legacy era gets: "serve" or "reject".
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(
  () => {
    const server = new McpServer({ name: 'sdk', version: '1.0.0' });
    server.registerTool('echo', { description: 'Returns a text', inputSchema: z.object({ text: z.string() }) },
      ({ text }) => ({ content: [{ type: 'text', text }] }));
    server.registerPrompt('greet', { description: 'Greets', argsSchema: z.object({ name: z.string() }) },
      ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }] }));
    server.registerResource('about', 'sdk://about', { description: 'About the server', mimeType: 'text/plain' },
      uri => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a server' }] }));
    return server;
  },
  { legacy: process.argv[2] },
);
