// An MCP server whose tool opens an app: a page that shows the result as a chart.
import { readFile } from 'node:fs/promises';
import { registerAppResource, registerAppTool } from '@modelcontextprotocol/ext-apps/server';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const uri = 'ui://votes/chart.html';
const votes = { anchor: 5, compass: 8, rope: 3 };

serveStdio(() => {
  const server = new McpServer({ name: 'votes', version: '1.0.0' });
  registerAppTool(
    server,
    'show_votes',
    {
      description: 'Shows the votes as a chart',
      outputSchema: z.object({ votes: z.record(z.string(), z.number()) }),
      _meta: { ui: { resourceUri: uri } },
    },
    () => ({ content: [{ type: 'text', text: JSON.stringify(votes) }], structuredContent: { votes } }),
  );
  registerAppTool(
    server,
    'vote',
    {
      description: 'Adds a vote',
      inputSchema: z.object({ item: z.enum(['anchor', 'compass', 'rope']) }),
      // Only the app may call it.
      _meta: { ui: { resourceUri: uri, visibility: ['app'] } },
    },
    ({ item }) => {
      votes[item]++;
      return { content: [{ type: 'text', text: JSON.stringify(votes) }], structuredContent: { votes } };
    },
  );
  registerAppResource(server, 'Votes', uri, { description: 'The votes as a chart' }, async () => ({
    contents: [
      {
        uri,
        mimeType: 'text/html;profile=mcp-app',
        text: await readFile(new URL('chart.html', import.meta.url), 'utf8'),
      },
    ],
  }));
  return server;
});
