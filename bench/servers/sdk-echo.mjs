// The echo server of the bench, as people write servers with the official SDK.
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** A new server of SDK 1.x or 2.x. */
export async function echoServer(sdk) {
  const { McpServer } =
    sdk === '1'
      ? await import('@modelcontextprotocol/sdk/server/mcp.js')
      : await import('@modelcontextprotocol/server');
  const shape = (fields) => (sdk === '1' ? fields : z.object(fields));
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Returns its text.', inputSchema: shape({ text: z.string() }) }, (args) =>
    text(args.text),
  );
  server.registerTool(
    'blob',
    { description: 'Returns a text of the given length.', inputSchema: shape({ bytes: z.number().int() }) },
    ({ bytes }) => text('x'.repeat(bytes)),
  );
  if (sdk === '1') addWork(server, shape);
  return server;
}

/** A tool that reports progress before its result. */
function addWork(server, shape) {
  const definition = { description: 'Reports progress.', inputSchema: shape({ steps: z.number().int() }) };
  server.registerTool('work', definition, async ({ steps }, { _meta, sendNotification }) => {
    for (let progress = 1; progress <= steps && _meta?.progressToken !== undefined; progress++) {
      const params = { progressToken: _meta.progressToken, progress, total: steps };
      await sendNotification({ method: 'notifications/progress', params });
    }
    return text('done');
  });
}
