// The echo server over plain `node:http`. Prints its address.
import { createServer } from 'node:http';
import { answer } from './echo.mjs';

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    const reply = answer(message);
    if (reply === undefined) {
      response.writeHead(202).end();
      return;
    }
    const body = JSON.stringify(reply instanceof Promise ? await reply : reply);
    const session = message.method === 'initialize' && { 'mcp-session-id': 'one' };
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...session,
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.on('SIGTERM', () => process.exit(0));
