import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { convertEach, convertKeys, type KeyReader, mapOf, omit, type ProductReader, type Warn } from './product.ts';

/** The JSON of servers that MetaMCP exports and imports. Namespaces, endpoints and keys are only in its database. */
export const metaMcp: ProductReader = {
  name: 'metamcp',
  recognises: (_, servers) =>
    servers.some(
      (server) =>
        ['bearerToken', 'oauth_client_info', 'error_status'].some((key) => Object.hasOwn(server, key)) ||
        (typeof server.type === 'string' && /^[A-Z_]+$/.test(server.type)),
    ),
  convert: (_, servers, warn) => ({ servers: convertEach(servers, (name, server) => toServer(name, server, warn)) }),
};

function toServer(name: string, source: PlainObject, warn: Warn): PlainObject {
  const label = `Server '${name}'`;
  const readers = new Map<string, KeyReader>([
    [
      'type',
      (value, server) => {
        server.type = toType(value);
      },
    ],
    ['bearerToken', setBearer],
    [
      'headers',
      (value, server) => {
        if (isFilled(value)) server.headers = { ...mapOf(value), ...mapOf(server.headers) };
      },
    ],
    ...['env', 'args', 'description'].map((key): [string, KeyReader] => [
      key,
      (value, server) => {
        if (isFilled(value)) server[key] = value;
      },
    ]),
    [
      'status',
      (value, server) => {
        if (value === 'INACTIVE') server.disabled = true;
      },
    ],
    [
      'user_id',
      () => warn(`${label} belonged to one user: every caller whose profile contains the server can use it now`),
    ],
    ['oauth_client_info', (value, server) => setOAuth(value, server, label, warn)],
    // Fields of the database, not settings.
    ...['uuid', 'name', 'created_at', 'error_status'].map((key): [string, KeyReader] => [key, omit]),
  ]);
  return convertKeys(source, readers);
}

/** MetaMCP writes the types in capitals and ignores the case when it reads them. */
function toType(value: PlainData): PlainData {
  if (typeof value !== 'string') return value;
  const type = value.toLowerCase();
  if (type === 'std') return 'stdio';
  return type === 'streamablehttp' ? 'streamable_http' : type;
}

function setBearer(value: PlainData, server: PlainObject): void {
  if (typeof value !== 'string' || value === '') return;
  server.headers = { ...mapOf(server.headers), Authorization: `Bearer ${value}` };
}

function setOAuth(value: PlainData, server: PlainObject, label: string, warn: Warn): void {
  if (!isPlainMap(value)) return;
  const { client_id: clientId, client_secret: clientSecret, scope } = value;
  if (!isFilled(clientId ?? null)) return;
  server.oauth = {
    clientId: clientId ?? null,
    ...(isFilled(clientSecret ?? null) && { clientSecret: clientSecret ?? null }),
    ...(isFilled(scope ?? null) && { scopes: scope ?? null }),
  };
  const others = ['authorization_endpoint', 'token_endpoint'].filter((key) => isFilled(value[key] ?? null));
  if (others.length > 0)
    warn(`${label}: not imported, because Toolwharf discovers the authorization server: ${others.join(', ')}`);
}

/** MetaMCP writes empty values for all fields that are not set. */
function isFilled(value: PlainData): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isPlainMap(value)) return Object.keys(value).length > 0;
  return value !== null && value !== '';
}
