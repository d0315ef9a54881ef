import { closest } from '../kernel/closest.ts';
import { apiProblems } from './api-problems.ts';
import { authenticationKeys } from './authentication-schema.ts';
import { canonicalKeys, canonicalMember } from './canonical-keys.ts';
import { type CheckedChains, chainSchema } from './chain-schema.ts';
import type { CheckContext } from './check-context.ts';
import { checkGateway } from './check-gateway.ts';
import { checkProfiles } from './check-profiles.ts';
import { checkSchema, found, keysOf } from './check-schema.ts';
import { checkUrl } from './check-url.ts';
import type { CheckedGateway } from './gateway-schema.ts';
import {
  anyServerSchema,
  approvalSchema,
  type CheckedProfiles,
  type CheckedServer,
  type CheckedToolbox,
  httpServerSchema,
  httpSpellings,
  httpTransports,
  limitsSchema,
  nativeSchema,
  rateSchema,
  stdioServerSchema,
  stdioTransports,
  toolboxSchema,
  toolSchema,
} from './native-schema.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Path } from './problems.ts';
import { serverName } from './schema-parts.ts';

export interface CheckedNative {
  readonly servers: readonly { readonly name: string; readonly server: CheckedServer }[];
  readonly toolbox: CheckedToolbox;
  readonly profiles: CheckedProfiles;
  readonly gateway: CheckedGateway;
}

/** Checks a document in Toolwharf's own dialect. Everything wrong is reported; what is returned is only whole if nothing was. */
export function checkNative(document: PlainObject, context: CheckContext): CheckedNative {
  const top = canonicalKeys(document, keysOf(nativeSchema), [], context);
  return {
    servers: checkServers(top.servers ?? {}, context),
    toolbox: checkToolbox(top.toolbox ?? {}, context) ?? {},
    profiles: checkProfiles(top.profiles ?? {}, context) ?? {},
    gateway: checkGateway(top.gateway ?? {}, context) ?? {},
  };
}

const serverKeys = [...new Set([...keysOf(stdioServerSchema), ...keysOf(httpServerSchema)])];
const transports = [...stdioTransports, ...httpTransports];

function checkServers(servers: PlainData, context: CheckContext): CheckedNative['servers'] {
  const path = ['servers'];
  if (!isPlainMap(servers)) {
    context.report({ path, message: 'must be a map of server names', ...found(servers, path) });
    return [];
  }
  return Object.entries(servers).flatMap(([name, value]) => {
    const here = [...path, name];
    for (const issue of serverName.safeParse(name).error?.issues ?? []) {
      context.report({ path: here, message: issue.message, atKey: true });
    }
    const server = checkServer(name, value, here, context);
    return server ? [{ name, server }] : [];
  });
}

function checkServer(name: string, value: PlainData, path: Path, context: CheckContext): CheckedServer | undefined {
  if (!isPlainMap(value)) {
    context.report({ path, message: `server '${name}' must be a map`, ...found(value, path) });
    return undefined;
  }
  const server = canonicalKeys(value, serverKeys, path, context);
  canonicalMember(server, 'defaultToolConfig', keysOf(limitsSchema), path, context);
  canonicalMember(server, 'rate', keysOf(rateSchema), path, context);
  const authentication = server.authentication;
  if (isPlainMap(authentication)) {
    const known = authenticationKeys.get(String(authentication.type));
    if (known) canonicalMember(server, 'authentication', known, path, context);
  }
  const transport = checkTransport(name, server, path, context);
  const kind = kindOf(name, server, transport, path, context);
  if (typeof server.url === 'string' && server.url) server.url = checkAddress(name, server, server.url, path, context);
  if (kind === undefined) {
    delete server.transport;
    checkSchema(anyServerSchema, server, path, context);
    return undefined;
  }
  const schema = kind === 'stdio' ? stdioServerSchema : httpServerSchema;
  for (const key of Object.keys(server)) {
    if (keysOf(schema).includes(key)) continue;
    delete server[key];
    const owner = kind === 'stdio' ? "'url'" : "'command'";
    context.report({ path: [...path, key], message: `belongs to a server with ${owner}`, atKey: true });
  }
  const checked = checkSchema(schema, server, path, context);
  if (checked && 'url' in checked)
    for (const { key, message } of apiProblems(checked)) context.report({ path: [...path, key], message, atKey: true });
  return checked;
}

function checkAddress(name: string, server: PlainObject, url: string, path: Path, context: CheckContext): string {
  const { headers, authentication } = server;
  const authenticates = isPlainMap(authentication) && authentication.type !== 'none';
  if (
    authenticates &&
    isPlainMap(headers) &&
    Object.keys(headers).some((key) => key.toLowerCase() === 'authorization')
  ) {
    const message = `server '${name}' has 'authentication' and an Authorization header: keep one`;
    context.report({ path: [...path, 'authentication'], message, atKey: true });
  }
  const flags = { enabled: server.enabled !== false, allowInsecure: server.allowInsecure === true };
  return checkUrl({ server: name, url, ...flags }, [...path, 'url'], context);
}

/** The transport in its own spelling; an unknown one is reported and removed. */
function checkTransport(name: string, server: PlainObject, path: Path, context: CheckContext): string | undefined {
  const { transport } = server;
  if (transport === undefined) return undefined;
  const spelled = typeof transport === 'string' && (httpSpellings as readonly string[]).includes(transport);
  const known = spelled ? 'http' : transports.find((candidate) => candidate === transport);
  if (!known) {
    const here = [...path, 'transport'];
    const suggestion = typeof transport === 'string' ? closest(transport, transports) : undefined;
    context.report({
      path: here,
      message: `unknown transport of server '${name}'`,
      allowed: transports,
      ...found(transport, here),
      ...(suggestion && { suggestion }),
    });
    delete server.transport;
    return undefined;
  }
  server.transport = known;
  return known;
}

/** Decided before the schema sees it: a union of both kinds would complain about both at once. */
function kindOf(
  name: string,
  server: PlainObject,
  transport: string | undefined,
  path: Path,
  context: CheckContext,
): 'stdio' | 'http' | undefined {
  const hasCommand = Object.hasOwn(server, 'command');
  const hasUrl = Object.hasOwn(server, 'url');
  if (hasCommand === hasUrl) {
    const wrong = hasUrl
      ? "has both 'command' and 'url': keep one"
      : "needs 'command' (a program) or 'url' (an address)";
    context.report({ path, message: `server '${name}' ${wrong}`, atKey: true });
    return undefined;
  }
  if (transport && (transport === 'stdio') !== hasCommand) {
    const needed = transport === 'stdio' ? 'command' : 'url';
    context.report({
      path: [...path, 'transport'],
      message: `server '${name}' has transport '${transport}', which needs '${needed}'`,
    });
    delete server.transport;
  }
  return hasCommand ? 'stdio' : 'http';
}

function checkToolbox(value: PlainData, context: CheckContext): CheckedToolbox | undefined {
  const path = ['toolbox'];
  if (!isPlainMap(value)) return checkSchema(toolboxSchema, value, path, context);
  const toolbox = canonicalKeys(value, keysOf(toolboxSchema), path, context);
  canonicalMember(toolbox, 'approval', keysOf(approvalSchema), path, context);
  if (toolbox.tools !== undefined) toolbox.tools = toolList(toolbox.tools, [...path, 'tools'], context);
  if (isPlainMap(toolbox.chains))
    for (const name of Object.keys(toolbox.chains))
      canonicalMember(toolbox.chains, name, keysOf(chainSchema), [...path, 'chains'], context);
  const checked = checkSchema(toolboxSchema, toolbox, path, context);
  const circle = checked?.chains && findCircle(checked.chains);
  if (circle) {
    const message = `calls itself: ${circle.join(' → ')}`;
    context.report({ path: [...path, 'chains', circle[0] ?? ''], message, atKey: true });
  }
  return checked;
}

/** Chains that lead back to where they began. */
function findCircle(chains: CheckedChains): readonly string[] | undefined {
  const sound = new Set<string>();
  function follow(name: string, way: readonly string[]): readonly string[] | undefined {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    const steps = sound.has(name) || !Object.hasOwn(chains, name) ? [] : (chains[name]?.steps ?? []);
    for (const { tool } of steps) {
      const circle = follow(tool, [...way, name]);
      if (circle) return circle;
    }
    sound.add(name);
    return undefined;
  }
  return Object.keys(chains)
    .map((name) => follow(name, []))
    .find((circle) => circle !== undefined);
}

/** Tools as a list, whichever form they were written in. */
function toolList(tools: PlainData, path: Path, context: CheckContext): PlainData {
  if (Array.isArray(tools)) {
    const first = new Map<string, number>();
    return tools.map((tool, index) => {
      if (!isPlainMap(tool)) return tool;
      const here = [...path, index];
      const canonical = canonicalKeys(tool, keysOf(toolSchema), here, context);
      const id = JSON.stringify([canonical.server ?? null, canonical.name ?? null]);
      const earlier = first.get(id);
      if (earlier === undefined) first.set(id, index);
      else if (canonical.name !== undefined) {
        context.report({
          path: here,
          message: `duplicate tool '${String(canonical.name)}', first at index ${earlier}`,
        });
      }
      return canonical;
    });
  }
  if (!isPlainMap(tools)) return tools;
  const known = keysOf(toolSchema).filter((key) => key !== 'name');
  return Object.entries(tools).map(([name, tool], index) => {
    context.written.set([...path, index], [...context.written.resolve(path), name]);
    if (tool === null) return { name };
    return isPlainMap(tool) ? { ...canonicalKeys(tool, known, [...path, index], context), name } : tool;
  });
}
