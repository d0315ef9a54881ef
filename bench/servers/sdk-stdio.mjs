// The echo server of the official SDK over stdio. SDK=1|2
import { echoServer } from './sdk-echo.mjs';

const { SDK = '2' } = process.env;
if (SDK === '1') {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await (await echoServer('1')).connect(new StdioServerTransport());
} else {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(() => echoServer('2'));
}
