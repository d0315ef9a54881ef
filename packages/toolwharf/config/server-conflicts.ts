import { runsOnce } from '../../contract/settings/defaults.ts';
import { type CheckedServer, programKeys, urlKeys } from '../../contract/settings/server-schema.ts';
import { insecureUrlMessage, isRefusedUrl, urlProblem } from '../../contract/settings/server-url.ts';
import { type TransportName, transports } from '../../contract/settings/transports.ts';
import { findAccountFields } from './account-fields.ts';

/** A conflict between keys of a server. Without a key, the conflict concerns the whole server. */
export interface ServerConflict {
  readonly key?: keyof CheckedServer;
  readonly message: string;
}

type UncheckedServer = { readonly [Key in keyof CheckedServer]?: unknown };

/** Returns every conflict between the keys of a server. Ignores values of a wrong type, which the schema reports. */
export function serverConflicts(name: string, server: UncheckedServer): ServerConflict[] {
  const isProgram = isProgramServer(server);
  if (isProgram === undefined) return [missingTarget(name, server)];
  return [
    ...transportConflict(name, server, isProgram),
    ...keysOfOtherKind(server, isProgram),
    ...(isProgram ? [] : [...authenticationConflict(name, server), ...apiConflicts(server)]),
    ...accountConflicts(server),
    ...sandboxConflict(server),
  ];
}

/**
 * Returns true for a stdio server and false for a server with a URL. Returns undefined for neither, or for both without
 * a transport.
 */
function isProgramServer({ command, url, transport }: UncheckedServer): boolean | undefined {
  if ((command === undefined) !== (url === undefined)) return command !== undefined;
  return command !== undefined && isTransport(transport) ? transport === 'stdio' : undefined;
}

function missingTarget(name: string, { command, transport }: UncheckedServer): ServerConflict {
  if (command !== undefined) return { message: `server '${name}' has both 'command' and 'url': keep one` };
  if (!isTransport(transport)) return { message: `server '${name}' needs 'command' (a program) or 'url' (an address)` };
  const key = transport === 'stdio' ? 'command' : 'url';
  return { key, message: `server '${name}' needs '${key}' for transport '${transport}'` };
}

function transportConflict(name: string, { transport }: UncheckedServer, isProgram: boolean): ServerConflict[] {
  if (!isTransport(transport) || (transport === 'stdio') === isProgram) return [];
  const needed = isProgram ? 'url' : 'command';
  return [{ key: 'transport', message: `server '${name}' has transport '${transport}', which needs '${needed}'` }];
}

function keysOfOtherKind(server: UncheckedServer, isProgram: boolean): ServerConflict[] {
  const keys = (isProgram ? urlKeys : programKeys).filter((key) => server[key] !== undefined);
  return keys.map((key) => ({ key, message: `belongs to a server with '${isProgram ? 'url' : 'command'}'` }));
}

function authenticationConflict(name: string, { authentication, headers }: UncheckedServer): ServerConflict[] {
  const authenticates =
    authenticationType(authentication) !== undefined && authenticationType(authentication) !== 'none';
  const names = typeof headers === 'object' && headers !== null ? Object.keys(headers) : [];
  if (!authenticates || !names.some((header) => header.toLowerCase() === 'authorization')) return [];
  const message = `server '${name}' has 'authentication' and an Authorization header: keep one`;
  return [{ key: 'authentication', message }];
}

function apiConflicts(server: UncheckedServer): ServerConflict[] {
  const { transport, openapi, endpoints, authentication } = server;
  const described = (['openapi', 'endpoints'] as const).filter((key) => server[key] !== undefined);
  if (transport !== undefined && transport !== 'api') {
    const message = `is for HTTP APIs, and transport '${transport}' is for MCP servers: remove one of them`;
    return described.map((key) => ({ key, message }));
  }
  if (described.length === 0) {
    if (transport !== 'api') return [];
    const message = "'api' needs 'openapi' (where its document is) or 'endpoints' (described by hand)";
    return [{ key: 'transport', message }];
  }
  const conflicts: ServerConflict[] = [];
  if (openapi === undefined && Array.isArray(endpoints) && endpoints.length === 0)
    conflicts.push({ key: 'endpoints', message: 'must have at least one endpoint' });
  if (authenticationType(authentication) === 'oauth') {
    const message = 'an HTTP API supports bearer, api-key or basic authentication, not oauth';
    conflicts.push({ key: 'authentication', message });
  }
  if (typeof openapi === 'string' && isUrl(openapi)) {
    const insecure = isRefusedUrl(openapi, server) ? insecureUrlMessage : undefined;
    const message = urlProblem(openapi) ?? insecure;
    if (message !== undefined) conflicts.push({ key: 'openapi', message });
  }
  return conflicts;
}

function sandboxConflict({ sandbox, inheritEnv }: UncheckedServer): ServerConflict[] {
  const mode = typeof sandbox === 'object' && sandbox !== null && 'mode' in sandbox ? sandbox.mode : sandbox;
  if (mode !== 'enforce' || inheritEnv !== true) return [];
  return [{ key: 'inheritEnv', message: "cannot be combined with the sandbox: name the variables in 'sandbox.env'" }];
}

function accountConflicts(server: UncheckedServer): ServerConflict[] {
  const { credentials, authentication, env, headers } = server;
  const isPersonal = credentials === 'per-user';
  const fields = findAccountFields({ authentication, env, headers });
  if (!isPersonal) {
    const message = "needs 'credentials: per-user'";
    const conflicts: ServerConflict[] = [];
    if (fields.length > 0)
      conflicts.push({ key: 'credentials', message: `must be per-user, because \${account:${fields[0]}} is used` });
    if (server.maxAccountConnections !== undefined) conflicts.push({ key: 'maxAccountConnections', message });
    return conflicts;
  }
  const conflicts: ServerConflict[] = [];
  const asksPerson = authenticationType(authentication) === 'oauth' && grantOf(authentication) === 'authorization-code';
  if (!asksPerson && fields.length === 0) {
    const message =
      'per-user needs OAuth of a person, or a value that each person enters: write it as ${account:token} in authentication, headers or env';
    conflicts.push({ key: 'credentials', message });
  }
  if (server.required === true)
    conflicts.push({ key: 'required', message: 'cannot be combined with per-user credentials: accounts come later' });
  if (runsOnce(server))
    conflicts.push({ key: 'placement', message: "'single' cannot be combined with per-user credentials" });
  if (server.lifecycle === 'lazy')
    conflicts.push({
      key: 'lifecycle',
      message: "'lazy' cannot be combined with per-user credentials: accounts are connected by their calls anyway",
    });
  return conflicts;
}

function grantOf(authentication: unknown): unknown {
  const { grant = 'authorization-code' } = authentication as { readonly grant?: unknown };
  return grant;
}

/** Returns true for a URL and false for a file path. */
export function isUrl(location: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(location);
}

function isTransport(value: unknown): value is TransportName {
  return transports.some((transport) => transport === value);
}

function authenticationType(authentication: unknown): unknown {
  return typeof authentication === 'object' && authentication !== null && 'type' in authentication
    ? authentication.type
    : undefined;
}
