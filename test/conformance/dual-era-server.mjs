// A server of the official SDK that serves both eras, with the tools of the conformance suite that send questions to their
// client. They work in the legacy era only. Over HTTP with sessions; with STDIO=1 over stdio.
import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { bodyOf, json, listen, rpcError } from '../fixtures/servers/shared/http.mjs';
import { choices, defaults } from './complete-content.mjs';

const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const formOf = (properties) => ({ type: 'object', properties, required: [] });
const identity = { username: { type: 'string' }, email: { type: 'string' } };

function createDualServer() {
  const server = new McpServer({ name: 'dual', version: '1.0.0' }, { instructions: 'Speaks both eras.' });
  const elicits = (name, message, properties) =>
    server.registerTool(name, { description: 'Asks', inputSchema: z.object({}).loose() }, async (_args, { mcpReq }) =>
      text(await mcpReq.elicitInput({ mode: 'form', message, requestedSchema: formOf(properties) })),
    );
  elicits('test_elicitation', 'Who are you?', identity);
  elicits('test_elicitation_sep1034_defaults', 'Defaults', defaults);
  elicits('test_elicitation_sep1330_enums', 'Choices', choices);
  const prompt = z.object({ prompt: z.string() });
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model', inputSchema: prompt },
    async (args, { mcpReq }) => {
      const messages = [{ role: 'user', content: { type: 'text', text: args.prompt } }];
      return text(await mcpReq.requestSampling({ messages, maxTokens: 100 }));
    },
  );
  return server;
}

if (process.env.STDIO === '1') serveStdio(createDualServer);
else serveHttp();

function serveHttp() {
  const sessions = new Map();
  const modern = toNodeHandler(createMcpHandler(createDualServer, { legacy: 'reject' }));

  async function open() {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await createDualServer().connect(transport);
    return transport;
  }

  listen('/mcp', async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, response);
    if (request.headers['mcp-session-id']) return json(response, 404, rpcError(-32001, 'Session not found'));
    if (request.headers['mcp-protocol-version'] === '2026-07-28') return modern(request, response);
    const body = await bodyOf(request);
    return (await open()).handleRequest(request, response, body);
  });
}
