// The least that a gateway in Node does: reads a message, parses it, sends it to the server at UPSTREAM and returns the
// answer's bytes. It checks nothing and has no sessions. Prints its address.
// SYNC=file   before a call is sent, it is written to this file and synced; calls of the same moment share a sync
import { fdatasync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent } from 'undici';

const { UPSTREAM, SYNC } = process.env;
const { origin, pathname: path } = new URL(UPSTREAM);
const agent = new Agent({ connections: 64 });
const forwarded = ['content-type', 'accept', 'mcp-session-id', 'mcp-protocol-version'];
const returned = ['content-type', 'mcp-session-id'];
const record = SYNC ? createRecord(openSync(SYNC, 'w')) : () => undefined;

const listener = createServer(async (request, response) => {
  const body = await readAll(request);
  const message = JSON.parse(body);
  if (message.method === 'tools/call') await record(body);
  const headers = pick(request.headers, forwarded);
  const answer = await agent.request({ origin, path, method: 'POST', headers, body: JSON.stringify(message) });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  response.writeHead(answer.statusCode, { ...pick(answer.headers, returned), 'content-length': bytes.length });
  response.end(bytes);
});
listener.keepAliveTimeout = 600_000;
listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
process.on('SIGTERM', () => process.exit(0));

async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function pick(headers, names) {
  return Object.fromEntries(names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]));
}

/** Writes to the file and waits for the disk, once for all calls that wait. The file is preallocated and begins again when full. */
function createRecord(fd) {
  const size = 16 * 1024 * 1024;
  writeSync(fd, Buffer.alloc(size));
  fsyncSync(fd);
  let position = 0;
  let next;
  let running = false;
  function sync() {
    const group = next;
    next = undefined;
    running = group !== undefined;
    if (!group) return;
    fdatasync(fd, (error) => {
      if (error) group.reject(error);
      else group.resolve();
      sync();
    });
  }
  return (bytes) => {
    if (position + bytes.length > size) position = 0;
    position += writeSync(fd, bytes, 0, bytes.length, position);
    next ??= Promise.withResolvers();
    const { promise } = next;
    if (!running) sync();
    return promise;
  };
}
