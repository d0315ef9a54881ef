// An echo server written with the official TypeScript SDK over Streamable HTTP. Prints its address.
// SDK=1|2   ANSWERS=events|json   SESSIONS=stateful|stateless (SDK 2 is always stateless and also serves the modern era)
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { echoServer } from './sdk-echo.mjs';

const { SDK = '2', ANSWERS = 'events', SESSIONS = 'stateful' } = process.env;
const json = ANSWERS === 'json';

const listener = createServer(SDK === '1' ? await handlerOfSdk1() : await handlerOfSdk2());
listener.keepAliveTimeout = 600_000;
listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
process.on('SIGTERM', () => process.exit(0));

async function handlerOfSdk2() {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  return toNodeHandler(createMcpHandler(() => echoServer('2'), { responseMode: json ? 'json' : 'sse' }));
}

async function handlerOfSdk1() {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const sessions = new Map();

  async function open() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: SESSIONS === 'stateful' ? randomUUID : undefined,
      enableJsonResponse: json,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await (await echoServer('1')).connect(transport);
    return transport;
  }

  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = sessions.get(id) ?? (await open());
    await transport.handleRequest(request, response);
  };
}
