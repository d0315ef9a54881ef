// The messages of both echo servers, kept minimal so that the server adds little to the measurement.
const version = { modern: '2026-07-28', legacy: '2025-11-25' };
const key = (name) => `io.modelcontextprotocol/${name}`;
const serverInfo = { name: 'echo', version: '1.0.0' };
const count = Number(process.env.TOOLS ?? 0);
const era = process.env.ERA ?? 'both';
// Tools of one page of the list; all by default.
const pageSize = Number(process.env.PAGE ?? Number.MAX_SAFE_INTEGER);

const echo = {
  name: 'echo',
  description: 'Gives back what it is given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};
const blob = {
  name: 'blob',
  description: 'Gives back a text of so many bytes.',
  inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] },
};
const wait = {
  name: 'wait',
  description: 'Gives back nothing, after a while.',
  inputSchema: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
};
// Definitions of realistic size.
const filler = Array.from({ length: count }, (_, at) => ({
  name: `tool_${at}`,
  description: `Tool number ${at}. ${'It does what tools of its kind do, with the arguments that its schema names. '.repeat(2)}`,
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where to look.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give back.' },
      deep: { type: 'boolean', default: false },
    },
    required: ['path'],
  },
}));
const blobs = new Map();

/** The response to a request; undefined for notifications, a promise for slow requests. */
export function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const isModern = params?._meta?.[key('protocolVersion')] === version.modern;
  if (isModern && era === 'legacy') return failure(id, -32601, 'Method not found');
  const stamp = isModern ? { resultType: 'complete', _meta: { [key('serverInfo')]: serverInfo } } : {};
  switch (method) {
    case 'tools/call':
      return call(id, params, stamp);
    case 'tools/list':
      return success(id, {
        ...stamp,
        ...(isModern && { ttlMs: 0, cacheScope: 'private' }),
        ...page(params?.cursor),
      });
    case 'server/discover':
      if (!isModern) return failure(id, -32601, 'Method not found');
      return success(id, {
        ...stamp,
        ttlMs: 0,
        cacheScope: 'private',
        supportedVersions: [version.modern],
        capabilities: { tools: {} },
      });
    case 'initialize':
      if (era === 'modern') return failure(id, -32022, 'Unsupported protocol version');
      return success(id, { protocolVersion: version.legacy, capabilities: { tools: {} }, serverInfo });
    case 'ping':
      return success(id, {});
    default:
      return failure(id, -32601, 'Method not found');
  }
}

function page(cursor = '0') {
  const all = [echo, blob, wait, ...filler];
  const end = Number(cursor) + pageSize;
  return { tools: all.slice(Number(cursor), end), ...(end < all.length && { nextCursor: String(end) }) };
}

function call(id, { name, arguments: args }, stamp) {
  const result = (text) => success(id, { ...stamp, content: [{ type: 'text', text }] });
  if (name === 'echo') return result(args.text);
  if (name === 'blob') {
    if (!blobs.has(args.bytes)) blobs.set(args.bytes, 'x'.repeat(args.bytes));
    return result(blobs.get(args.bytes));
  }
  if (name === 'wait') return new Promise((resolve) => setTimeout(() => resolve(result('')), args.ms));
  return failure(id, -32602, `Unknown tool: ${name}`);
}

const success = (id, result) => ({ jsonrpc: '2.0', id, result });
const failure = (id, code, message) => ({ jsonrpc: '2.0', id, error: { code, message } });
