// The service becomes tools: reading runs at once, cancelling asks the approver.
import { createToolbox } from 'toolwharf';
import { startService } from './service.mjs';

const service = await startService();
const toolbox = await createToolbox(
  {
    servers: { shop: { url: service.url, openapi: `${service.url}/openapi.json`, trusted: true } },
    toolbox: { approval: { mode: 'trusted-only' } },
  },
  {
    approver: {
      ask: async ({ tool, arguments: args }) => {
        console.log(`approve? ${tool} ${JSON.stringify(args)}`);
        return { kind: 'allow' };
      },
    },
  },
);

for (const { name, description } of toolbox.tools) console.log(`${name}: ${description}`);
console.log((await toolbox.call('mcp_shop_getOrder', { id: '7' })).text);
console.log((await toolbox.call('mcp_shop_cancelOrder', { id: '7' })).text);
console.log((await toolbox.call('mcp_shop_getOrder', { id: '8' })).text);

await toolbox.close();
service.close();
