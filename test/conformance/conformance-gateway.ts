/** The MCP endpoint of the gateway in front of the server at the given URL, for the official conformance suite. */
import { createLog } from '../../packages/toolwharf/kernel/log.ts';
import { serveMcp } from '../support/serve-mcp.ts';

const log = createLog(({ level, message }) => {
  if (level === 'error') console.error(message);
});
const gateway = await serveMcp({ subject: { url: process.argv.at(-1) ?? '' } }, { log });
console.log(JSON.stringify({ url: gateway.url }));

async function stop(): Promise<void> {
  await gateway[Symbol.asyncDispose]();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.stdin.on('end', stop).on('error', stop).resume();
