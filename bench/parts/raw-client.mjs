// A minimal MCP client on a socket, so that the measurement shows the other side.
import { connect } from 'node:net';

const modern = '2026-07-28';
const key = (name) => `io.modelcontextprotocol/${name}`;
const _meta = { [key('protocolVersion')]: modern, [key('clientCapabilities')]: {} };

/** One keep-alive connection. `ask` sends a request and resolves with the bytes of its response. */
export async function openClient(url, { era, authorization }) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let pending;
  let buffered = [];
  let size = 0;
  let wanted;
  socket.on('data', (chunk) => {
    buffered.push(chunk);
    size += chunk.length;
    if (wanted !== undefined && size < wanted) return;
    const whole = buffered.length === 1 ? buffered[0] : Buffer.concat(buffered);
    buffered = [whole];
    const found = parse(whole);
    if (typeof found === 'number') {
      wanted = found;
      return;
    }
    if (found === undefined) return;
    buffered = [];
    size = 0;
    wanted = undefined;
    const { resolve } = pending;
    pending = undefined;
    resolve(found);
  });
  const fail = (cause) => pending?.reject(cause);
  socket.on('error', fail).on('close', () => fail(new Error('the connection was closed')));

  let session;
  const head = (bytes, more = '') =>
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
    `accept: application/json, text/event-stream\r\ncontent-length: ${bytes}\r\n` +
    `${authorization === undefined ? '' : `authorization: ${authorization}\r\n`}${more}\r\n`;

  function send(text, headers) {
    return new Promise((resolve, reject) => {
      if (socket.destroyed) {
        reject(new Error('the connection was closed'));
        return;
      }
      pending = { resolve, reject };
      socket.write(head(Buffer.byteLength(text), headers) + text);
    });
  }

  async function ask(id, method, params = {}) {
    if (era === 'modern') {
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
      const name = params.name === undefined ? '' : `mcp-name: ${params.name}\r\n`;
      return send(text, `mcp-protocol-version: ${modern}\r\nmcp-method: ${method}\r\n${name}`);
    }
    return send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), session);
  }

  if (era === 'legacy') {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    const { headers } = await send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), '');
    const found = /^mcp-session-id: (.*)$/im.exec(headers);
    session = `mcp-protocol-version: 2025-11-25\r\n${found ? `mcp-session-id: ${found[1]}\r\n` : ''}`;
    await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), session);
  }
  return { ask, close: () => socket.destroy() };
}

/** A complete response, or the number of bytes it needs if known. */
function parse(buffer) {
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const headers = buffer.toString('latin1', 0, end);
  const status = Number(headers.slice(9, 12));
  const length = /^content-length: (\d+)/im.exec(headers);
  const start = end + 4;
  if (length) {
    const total = start + Number(length[1]);
    return buffer.length < total ? total : { status, headers, body: buffer.subarray(start, total) };
  }
  if (!/^transfer-encoding: chunked/im.test(headers)) return { status, headers, body: Buffer.alloc(0) };
  if (buffer.length < 5 || buffer.toString('latin1', buffer.length - 5) !== '0\r\n\r\n') return undefined;
  return { status, headers, body: buffer.subarray(start) };
}
