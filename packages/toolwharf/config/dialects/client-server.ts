import { httpSpellings, serverShape } from '../../../contract/settings/server-schema.ts';
import { toCamelCase } from '../canonical-keys.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import type { Path } from '../problems.ts';
import type { ClientVariables } from './client-variables.ts';
import type { TranslateContext } from './dialect.ts';

export interface ClientServerContext extends TranslateContext {
  readonly path: Path;
  /** In VS Code files, "http" also allows SSE. */
  readonly vscode: boolean;
}

/**
 * Translates one server of a client file to a native server. Warns about unknown keys, which may belong to another
 * program.
 */
export function toClientServer(
  name: string,
  server: PlainObject,
  variables: ClientVariables,
  context: ClientServerContext,
): PlainObject {
  const native: PlainObject = {};
  const from = (key: string, written: string) =>
    context.origins.set(['servers', name, key], [...context.path, written]);
  const where = { label: `Server '${name}'`, path: context.path };
  for (const [key, value] of Object.entries(server)) {
    if (value === null) continue;
    switch (key) {
      case 'type':
      case 'transport':
      case 'transportType':
        native.transport = toTransport(value, context.vscode);
        from('transport', key);
        break;
      case 'url':
      case 'serverUrl':
      case 'httpUrl':
        native.url = mapText(value, (text) => variables.address(text, where));
        from('url', key);
        break;
      case 'command':
      case 'cwd':
        native[key] = mapText(value, (text) => variables.expand(text, where));
        break;
      case 'args':
        native.args = Array.isArray(value)
          ? value.map((arg) => mapText(asText(arg), (text) => variables.expand(text, where)))
          : value;
        break;
      case 'env':
      case 'headers':
        native[key] = mapValues(value, (text) => keepSecret(text, (part) => variables.keep(part, where)));
        break;
      case 'disabled':
        if (typeof value === 'boolean') native.enabled = !value;
        break;
      case 'disabledTools':
        native.deny = value;
        from('deny', key);
        break;
      case 'timeout':
        native.timeout = toTimeout(value, where.label, context);
        break;
      case 'oauth':
      case 'auth':
        if (isPlainMap(value)) native.authentication = toOAuth(value, (text) => variables.keep(text, where));
        from('authentication', key);
        break;
      case 'envFile':
        context.warn(`${where.label}: 'envFile' is not read; put the variables into 'env'`);
        break;
      default:
        if (nativeKeys.has(toCamelCase(key))) native[key] = value;
        else context.warn(`${where.label}: '${key}' is not known here and is ignored`);
    }
  }
  // Some programs also write empty fields of the other transport.
  if (native.command === '') delete native.command;
  if (native.url === '') delete native.url;
  moveBearer(native);
  return native;
}

const nativeKeys = new Set(Object.keys(serverShape));

function toTransport(type: PlainData, vscode: boolean): PlainData {
  const http = type === 'http' || (httpSpellings as readonly PlainData[]).includes(type);
  return http ? (vscode ? 'auto' : 'http') : type;
}

/** Clients use different units. A value below 1000 is read as seconds, any other value as milliseconds. */
function toTimeout(value: PlainData, label: string, context: TranslateContext): PlainData {
  if (typeof value !== 'number' || !(value > 0)) return value;
  const ms = value < 1000 ? value * 1000 : value;
  const limited = Math.min(300_000, Math.round(ms));
  if (limited < ms) context.warn(`${label}: the timeout is limited to 300 s`);
  return limited;
}

/** Accepts `{clientId, scopes, callbackPort}` (Claude Code) and `{CLIENT_ID, CLIENT_SECRET, scopes}` (Cursor). */
function toOAuth(value: PlainObject, keep: (text: string) => string): PlainObject {
  const { clientId = value.CLIENT_ID, clientSecret = value.CLIENT_SECRET, scopes, callbackPort } = value;
  const scope = Array.isArray(scopes) ? scopes.join(' ') : scopes;
  return {
    type: 'oauth',
    ...(clientId != null && { clientId: mapText(clientId, keep) }),
    ...(clientSecret != null && { clientSecret: mapText(clientSecret, keep) }),
    ...(scope != null && { scope }),
    ...(typeof callbackPort === 'number' && { redirectUrl: `http://localhost:${callbackPort}/callback` }),
  };
}

/** Moves an `Authorization: Bearer …` header to `authentication`, where the token can be a reference. */
function moveBearer(server: PlainObject): void {
  const { headers } = server;
  if (!isPlainMap(headers) || server.authentication !== undefined) return;
  const key = Object.keys(headers).find((header) => header.toLowerCase() === 'authorization');
  const value = key === undefined ? undefined : headers[key];
  const token = typeof value === 'string' ? /^Bearer\s+(\S+)$/i.exec(value)?.[1] : undefined;
  if (key === undefined || !token) return;
  server.authentication = { type: 'bearer', token };
  const others = Object.entries(headers).filter(([header]) => header !== key);
  if (others.length > 0) server.headers = Object.fromEntries(others);
  else delete server.headers;
}

/** Preserves the reference in `Bearer ${TOKEN}`, which is not the whole value. */
function keepSecret(text: string, keep: (part: string) => string): string {
  const [, scheme, token] = /^(Bearer\s+)(\S+)$/i.exec(text) ?? [];
  return scheme && token ? scheme + keep(token) : keep(text);
}

function mapText(value: PlainData, change: (text: string) => string): PlainData {
  return typeof value === 'string' ? change(value) : value;
}

function mapValues(value: PlainData, change: (text: string) => string): PlainData {
  if (!isPlainMap(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([key, member]) => [key, mapText(asText(member), change)]));
}

function asText(value: PlainData): PlainData {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
