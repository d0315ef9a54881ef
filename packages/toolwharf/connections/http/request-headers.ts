import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { userAgent } from '../../kernel/version.ts';
import { encodeHeaderValue } from '../param-headers.ts';

type HeaderRecord = Readonly<Record<string, string>>;

/** The headers that a session adds to its requests. */
export interface SessionHeaders {
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
}

/** The member of a request's params that the modern era repeats in `Mcp-Name`. */
const nameMembers = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

const maxCached = 1_000;

/** Builds the headers of requests to one server. Headers for the same tool are built once. */
export function createRequestHeaders(configured: HeaderRecord) {
  const common: HeaderRecord = {
    'user-agent': userAgent,
    ...Object.fromEntries(Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value])),
    'accept-encoding': 'identity',
  };
  let cache = { sessionId: '', protocolVersion: '', byKey: new Map<string, HeaderRecord>() };

  function withSession({ sessionId, protocolVersion }: SessionHeaders): Record<string, string> {
    const headers: Record<string, string> = { ...common };
    if (sessionId) headers['mcp-session-id'] = sessionId;
    if (protocolVersion) headers['mcp-protocol-version'] = protocolVersion;
    return headers;
  }

  return {
    /** The headers of a GET or DELETE. */
    plain: withSession,

    /** The headers of a POST of this message. In the modern era they repeat fields of the message. */
    post(message: JSONRPCMessage, session: SessionHeaders): HeaderRecord {
      const { sessionId = '', protocolVersion = '' } = session;
      if (cache.sessionId !== sessionId || cache.protocolVersion !== protocolVersion || cache.byKey.size >= maxCached)
        cache = { sessionId, protocolVersion, byKey: new Map() };
      const { method, id, params } = message as JsonObject;
      const version = id === undefined ? undefined : claimedVersion(params);
      const name = version === undefined ? undefined : nameIn(String(method), params);
      const key = version === undefined ? '' : `${version} ${method} ${name ?? ''}`;
      const cached = cache.byKey.get(key);
      if (cached) return cached;
      const headers = withSession(session);
      headers['content-type'] = 'application/json';
      headers.accept = 'application/json, text/event-stream';
      if (version !== undefined) {
        headers['mcp-protocol-version'] = version;
        headers['mcp-method'] = String(method);
        if (name !== undefined) headers['mcp-name'] = encodeHeaderValue(name);
      }
      cache.byKey.set(key, headers);
      return headers;
    },
  };
}

/** The protocol version that a request of the modern era claims in its `_meta`. */
export function claimedVersion(params: unknown): string | undefined {
  const version = isObject(params) && isObject(params._meta) ? params._meta[PROTOCOL_VERSION_META_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function nameIn(method: string, params: unknown): string | undefined {
  const member = nameMembers.get(method);
  const name = member !== undefined && isObject(params) ? params[member] : undefined;
  return typeof name === 'string' ? name : undefined;
}
