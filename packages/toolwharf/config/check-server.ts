import { messageOf } from '../../contract/errors.ts';
import { isSecretName } from '../../contract/secret-names.ts';
import type { PluginTarget } from '../../contract/settings/plugin-config.ts';
import { serverName } from '../../contract/settings/schema-parts.ts';
import {
  type CheckedServer,
  httpSpellings,
  pluginServerSchema,
  serverSchema,
} from '../../contract/settings/server-schema.ts';
import { insecureUrlKey, insecureUrlMessage, isRefusedUrl, urlProblem } from '../../contract/settings/server-url.ts';
import { type TransportName, transports } from '../../contract/settings/transports.ts';
import { closest } from '../kernel/closest.ts';
import { canonicalizeMap, toSnakeCase } from './canonical-keys.ts';
import type { CheckContext } from './check-context.ts';
import { checkSchema, found } from './check-schema.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import { describeValue, type Path } from './problems.ts';
import { type Environment, parseReference, resolveReference } from './references.ts';
import { serverConflicts } from './server-conflicts.ts';

export interface NamedServer {
  readonly name: string;
  readonly server: CheckedServer;
  /** Set if the transport of a plugin reaches the server. */
  readonly plugin?: PluginTarget;
}

/**
 * Checks `servers:`, a map by name. Reports the problems of all servers. If there are plugins, their transports are known
 * only when they are loaded.
 */
export function checkServers(servers: PlainData, context: CheckContext, hasPlugins: boolean): NamedServer[] {
  const path = ['servers'];
  if (!isPlainMap(servers)) {
    context.report({ path, message: 'must be a map of server names', ...found(servers, path) });
    return [];
  }
  return Object.entries(servers).flatMap(([name, value]) => {
    const here = [...path, name];
    for (const { message } of serverName.safeParse(name).error?.issues ?? [])
      context.report({ path: here, message, atKey: true });
    if (isOfPlugin(value, context, hasPlugins)) return checkPluginServer(name, value, here, context);
    const server = checkServer(name, value, here, context);
    return server ? [{ name, server }] : [];
  });
}

/** Whether the transport of a plugin reaches a server: one that no other transport could. */
function isOfPlugin(value: PlainData, { transports: named }: CheckContext, hasPlugins: boolean): value is PlainObject {
  if (!isPlainMap(value) || typeof value.transport !== 'string') return false;
  if (value.command !== undefined || value.url !== undefined || isBuiltIn(value.transport)) return false;
  return hasPlugins || named.includes(value.transport);
}

function checkPluginServer(name: string, value: PlainObject, path: Path, context: CheckContext): NamedServer[] {
  const canonical = canonicalizeMap(value, pluginServerSchema, path, context);
  const checked = checkSchema(pluginServerSchema, canonical, path, context);
  if (!checked) return [];
  const { transport, options = {}, ...server } = checked;
  return [{ name, server, plugin: { transport: 'plugin', name: transport, options } }];
}

/** Whether a server of a configuration file can have this transport without a plugin. */
export function isBuiltIn(transport: string): boolean {
  return [...transports, ...httpSpellings].some((known) => known === transport);
}

interface UrlToCheck {
  readonly server: string;
  readonly url: string;
  readonly settings: PlainObject;
}

/** Resolves a URL that may be a reference, and validates the result. */
export function resolveUrl(value: string, env: Environment): { readonly url: string; readonly problem?: string } {
  let missing: string | undefined;
  try {
    const url = resolveReference(value, env, (variable) => {
      missing = variable;
    });
    const problem = missing ? `the environment variable ${missing} is not set` : urlProblem(url);
    return problem ? { url, problem } : { url };
  } catch (cause) {
    return { url: value, problem: messageOf(cause) };
  }
}

/** Checks a server and resolves its URL. Reports every problem and returns undefined if there is any. */
function checkServer(name: string, value: PlainData, path: Path, context: CheckContext): CheckedServer | undefined {
  if (!isPlainMap(value)) {
    context.report({ path, message: `server '${name}' must be a map`, ...found(value, path) });
    return undefined;
  }
  const { transport: spelled, ...rest } = canonicalizeMap(value, serverSchema, path, context);
  const transport = checkTransport();
  const server: PlainObject = transport === undefined ? rest : { ...rest, transport };
  for (const { key, message } of serverConflicts(name, server)) {
    const here = key === undefined ? path : [...path, key];
    context.report({ path: here, message, atKey: key !== 'transport' });
  }
  const url = checkServerUrl();
  const checked = checkSchema(serverSchema, server, path, context);
  return checked && { ...checked, url };

  function checkTransport(): TransportName | undefined {
    if (spelled === undefined) return undefined;
    if (httpSpellings.some((spelling) => spelling === spelled)) return 'http';
    const known = transports.find((candidate) => candidate === spelled);
    if (known === undefined) {
      const here = [...path, 'transport'];
      context.report({
        path: here,
        message: `unknown transport of server '${name}'`,
        ...found(spelled, here),
        allowed: [...transports, ...httpSpellings, ...context.transports],
        suggestion:
          typeof spelled === 'string'
            ? closest(spelled, [...transports, ...httpSpellings, ...context.transports])
            : undefined,
      });
    }
    return known;
  }

  function checkServerUrl(): string | undefined {
    const { url: written } = server;
    if (typeof written !== 'string' || written === '') return undefined;
    return checkUrl({ server: name, url: written, settings: server }, [...path, 'url'], context);
  }
}

/** Resolves the reference in a server URL. Reports an invalid URL and warns about a risky one. */
function checkUrl({ server, url: written, settings }: UrlToCheck, path: Path, context: CheckContext) {
  const { url, problem } = resolveUrl(written, context.env);
  if (problem) {
    // The message omits the resolved value of a reference, because the value may be an unrelated secret.
    const found = parseReference(written) ? undefined : describeValue(url, path);
    context.report({ path, message: problem, found });
    return url;
  }
  if (isRefusedUrl(url, settings)) {
    if (context.defaults.insecureUrl === 'error' && settings.enabled !== false)
      context.report({ path, message: insecureUrlMessage });
    else {
      const isCamelCase = context.dialect === 'client' || context.dialect === 'native';
      const key = isCamelCase ? insecureUrlKey : toSnakeCase(insecureUrlKey);
      const advice = `use https, or allow it with the line '${key}: true' in ${context.pathInFile(path.slice(0, -1))}`;
      context.warn(`Server '${server}' will not be connected, its url is plain http to another machine: ${advice}`);
    }
  }
  const secret = [...new URL(url).searchParams.keys()].find(isSecretName);
  if (secret) {
    const place = `The url of server '${server}' carries '${secret}' in its query, where logs may keep it`;
    context.warn(`${place}: prefer 'authentication' or 'headers'`);
  }
  return url;
}
