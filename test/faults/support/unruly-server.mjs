// A server that does too much of something, over stdio or (TRANSPORT=http) over HTTP. Its other tool, `echo`, works.
// Over both:  huge {megabytes}: a result of that size, one message; over HTTP as JSON or (EVENTS=1) as an event
//             wide {megabytes}: the same as a list of empty objects, which need twenty times as much memory
//             storm {count, over}: so many log messages and changed lists as fast as they are read, then {sent, lists, ms}: how many were
//             sent, how often the list was read, and how long it took; over `own` they come in the call's own stream, else in the standing one
// Over stdio: unterminated {megabytes}: so much output without a line's end, and no answer
//             stderr {megabytes}: so much error output, then an answer
//             forks {count}: starts so many programs, half of them in separate process groups; their ids come back
// Over HTTP:  stalled {megabytes}: the same as huge, without its end
//             endless: an event that never ends;  events: events without end, none of them the answer
//             bomb {megabytes}: that much in gzip, which was not asked for
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { answerRequest, bodyOf, json, listen, rpcError } from '../../fixtures/servers/shared/http.mjs';
import { createLegacyPeer, serveLegacy } from '../../fixtures/servers/shared/legacy-peer.mjs';
import { definitionsOf, noReply, text } from '../../fixtures/servers/shared/peer.mjs';
import { echo, tableOf, tool } from '../../fixtures/servers/shared/tools.mjs';

const number = { type: 'number' };
const megabyte = Buffer.alloc(1_000_000, 'x');
const objects = Buffer.alloc(999_999, '{},');
let lists = 0;
const isHttp = process.env.TRANSPORT === 'http';
const isEvents = process.env.EVENTS === '1';

/** Writes with backpressure; returns false when the reader is gone. */
async function write(stream, piece) {
  if (stream.destroyed) return false;
  if (stream.write(piece)) return true;
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {});
  return !stream.destroyed;
}

async function writeMany(stream, count, piece = megabyte) {
  for (let done = 0; done < count; done++) if (!(await write(stream, piece))) return;
}

async function begin(call, text) {
  const stream = isHttp ? call.send.response : process.stdout;
  if (isHttp) stream.writeHead(200, { 'content-type': isEvents ? 'text/event-stream' : 'application/json' });
  await write(stream, `${isEvents ? 'data: ' : ''}{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{${text}`);
  return stream;
}

async function end(stream, text) {
  await write(stream, `${text}}}\n${isEvents ? '\n' : ''}`);
  if (isHttp) stream.end();
  return noReply;
}

async function huge({ megabytes }, call) {
  const stream = await begin(call, '"content":[{"type":"text","text":"');
  await writeMany(stream, megabytes);
  return end(stream, '"}]');
}

async function wide({ megabytes }, call) {
  const stream = await begin(call, '"content":[],"structuredContent":{"list":[');
  await writeMany(stream, megabytes, objects);
  return end(stream, '{}]}');
}

const stdioTools = [
  tool('unterminated', 'Output without a line end', { megabytes: number }, async ({ megabytes }) => {
    await writeMany(process.stdout, megabytes);
    return new Promise(() => {});
  }),
  tool('stderr', 'Much error output', { megabytes: number }, async ({ megabytes }) => {
    await writeMany(process.stderr, megabytes);
    return text('said');
  }),
  tool('forks', 'Starts many programs', { count: number }, ({ count }) => {
    const started = Array.from({ length: count }, (_, index) =>
      spawn('sleep', ['600'], { stdio: 'ignore', detached: index % 2 === 0 }),
    );
    return text(JSON.stringify(started.map(({ pid }) => pid)));
  }),
];

/** The client's long-lived stream. */
let standing;

async function stormOverHttp(args, call) {
  if (args.over !== 'own')
    return text(JSON.stringify(await storm(standing, (message) => `data: ${message}\n\n`, args)));
  const { response } = call.send;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const result = text(JSON.stringify(await storm(response, (message) => `data: ${message}\n\n`, args)));
  response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\n\n`);
  return noReply;
}

const stormOverStdio = async (args) =>
  text(JSON.stringify(await storm(process.stdout, (message) => `${message}\n`, args)));

async function storm(stream, frame, { count }) {
  const note = (method, params) => frame(JSON.stringify({ jsonrpc: '2.0', method, params }));
  const log = note('notifications/message', { level: 'info', data: 'a storm of words' });
  const changed = note('notifications/tools/list_changed', {});
  const from = performance.now();
  let sent = 0;
  lists = 0;
  while (sent < count && (await write(stream, (log + changed).repeat(50)))) {
    sent += 100;
    await wait(1);
  }
  return { sent, lists, ms: performance.now() - from };
}

const httpTools = [
  tool('stalled', 'A huge result without its end', { megabytes: number }, async ({ megabytes }, call) => {
    const stream = await begin(call, '"content":[{"type":"text","text":"');
    await writeMany(stream, megabytes);
    // Returning would end the response.
    if (!stream.destroyed) await once(stream, 'close');
    return noReply;
  }),
  tool('endless', 'An event that never ends', {}, async (_args, call) => {
    const { response } = call.send;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await write(response, 'data: ');
    await writeMany(response, Number.POSITIVE_INFINITY);
    return noReply;
  }),
  tool('events', 'Events without end', {}, async (_args, call) => {
    const { response } = call.send;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const message = {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'x'.repeat(1_000) },
    };
    const event = `data: ${JSON.stringify(message)}\n\n`;
    while (await write(response, event.repeat(20))) await wait(1);
    return noReply;
  }),
  tool('bomb', 'Much, packed', { megabytes: number }, async ({ megabytes }, call) => {
    const { response } = call.send;
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    const packed = createGzip();
    packed.pipe(response);
    response.on('close', () => packed.destroy());
    await writeMany(packed, megabytes);
    packed.end();
    return noReply;
  }),
];

const tools = tableOf([
  echo(),
  tool('huge', 'A huge result', { megabytes: number }, huge),
  tool('wide', 'A result of many objects', { megabytes: number }, wide),
  tool('storm', 'Notifications', { count: number, over: { type: 'string' } }, isHttp ? stormOverHttp : stormOverStdio),
  ...(isHttp ? httpTools : stdioTools),
]);
const handlers = {
  'tools/list': () => {
    lists++;
    return { tools: definitionsOf(tools) };
  },
};
if (!isHttp) serveLegacy({ name: 'unruly', tools, handlers });
else {
  const peer = createLegacyPeer({ name: 'unruly', tools, handlers, send: () => {} });
  listen('/mcp', async (request, response) => {
    if (request.method === 'GET') {
      standing = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.flushHeaders();
    }
    if (request.method !== 'POST') return json(response, 405, rpcError(-32000, 'Method not allowed'));
    const message = await bodyOf(request);
    response.on('error', () => {});
    if (message.id === undefined) return response.writeHead(202).end();
    return answerRequest(peer, message, request, response);
  });
}
