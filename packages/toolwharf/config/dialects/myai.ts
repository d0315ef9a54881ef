import { toolModes } from '../../../contract/settings/choices.ts';
import { toolDefaults } from '../../../contract/settings/defaults.ts';
import { serverName } from '../../../contract/settings/schema-parts.ts';
import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';
import { describeValue, type Path } from '../problems.ts';
import type { DialectReader, TranslateContext } from './dialect.ts';
import { addOwnKeys } from './own-keys.ts';

/** `myai.toolbox` with `tools` and `mcps`. Other keys than Toolwharf's own belong to the application. */
export const myaiDialect: DialectReader = {
  name: 'myai',
  defaults: {
    required: true,
    naming: 'plain',
    defaultTool: { ...toolDefaults, maxInstances: 5 },
    insecureUrl: 'warning',
    prompts: [],
    localToolsMustBeConfigured: true,
    strictIgnoresDefaults: true,
  },
  recognises: (document) => 'myai' in document,
  translate(document, context): PlainObject {
    const path = ['myai', 'toolbox'];
    const { toolbox: written, ...others } = isPlainMap(document.myai) ? document.myai : {};
    const toolbox = written === undefined ? undefined : fromSpring(written);
    context.ignore(Object.keys(others).map((key) => ['myai', key]));
    if (!isPlainMap(toolbox)) {
      context.report({ path, message: 'is required: a map with tools and mcps', atKey: true });
      return {};
    }
    const { mcps, tools, ...rest } = toolbox;
    context.origins.set(['toolbox'], path);
    const native: PlainObject = { servers: toServers(mcps ?? [], [...path, 'mcps'], context), toolbox: rest };
    if (tools != null) native.toolbox = { ...rest, tools: toTools(tools) };
    return addOwnKeys(native, document, ['myai'], context);
  },
};

/** Spring applications also write `max-concurrent`, and `${VAR:default}` for a variable with a default. */
function fromSpring(value: PlainData): PlainData {
  if (Array.isArray(value)) return value.map(fromSpring);
  if (isPlainMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [toSnakeCase(key), fromSpring(member)]));
  return typeof value === 'string' ? value.replace(/^\$\{(?!file:)(\w+):(?!-)([^{}]*)\}$/, '${$1:-$2}') : value;
}

const toSnakeCase = (key: string) => (/^[a-z]+(?:-[a-z]+)+$/.test(key) ? key.replaceAll('-', '_') : key);

function toServers(mcps: PlainData, path: Path, context: TranslateContext): PlainObject {
  const servers = new Map<string, PlainData>();
  const first = new Map<string, number>();
  if (!Array.isArray(mcps)) {
    context.report({ path, message: 'must be a list', found: describeValue(mcps, path) ?? 'nothing' });
    return {};
  }
  for (const [index, mcp] of mcps.entries()) {
    const here = [...path, index];
    const name = isPlainMap(mcp) ? mcp.name : undefined;
    const wrong = serverName.safeParse(name).error?.issues[0]?.message;
    if (!isPlainMap(mcp)) context.report({ path: here, message: 'must be a map' });
    else if (typeof name !== 'string' || wrong) {
      context.report({ path: [...here, 'name'], message: name == null ? 'is required' : (wrong ?? 'must be text') });
    } else if (first.has(name)) {
      context.report({
        path: [...here, 'name'],
        message: `duplicate name '${name}', first in mcps[${first.get(name)}]`,
      });
    } else {
      first.set(name, index);
      context.origins.set(['servers', name], here);
      servers.set(name, toServer(name, mcp, here, context));
    }
  }
  return Object.fromEntries(servers);
}

function toServer(name: string, mcp: PlainObject, path: Path, context: TranslateContext): PlainObject {
  const { name: _, tool_allowlist: allow, tool_denylist: deny, default_tool_config: defaults, ...rest } = mcp;
  if (rest.mode == null) {
    context.report({ path, message: `MCP server '${name}' needs 'mode'`, allowed: toolModes });
  }
  if (rest.mode === 'dynamic' && defaults == null && rest.defaultToolConfig == null) {
    const message = `MCP server '${name}' is configured with mode='dynamic' but missing required field 'default_tool_config'`;
    context.report({ path, message });
  }
  const server: PlainObject = inSeconds(rest);
  if (defaults != null) server.default_tool_config = toLimits(defaults);
  for (const [key, written, value] of [
    ['allow', 'tool_allowlist', allow] as const,
    ['deny', 'tool_denylist', deny] as const,
  ]) {
    if (value == null) continue;
    server[key] = value;
    context.origins.set(['servers', name, key], [...path, written]);
  }
  return server;
}

function toLimits(limits: PlainData): PlainData {
  if (!isPlainMap(limits)) return limits;
  // The application requires a name in every tool configuration. The default configuration does not use it.
  const { name: _, ...rest } = limits;
  return inSeconds(rest);
}

function toTools(tools: PlainData): PlainData {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool) => (isPlainMap(tool) ? inSeconds(tool) : tool));
}

/** Adds the unit to a numeric timeout: the application uses seconds. A negative number is reported as it is written. */
function inSeconds(map: PlainObject): PlainObject {
  const { timeout } = map;
  const isSeconds = typeof timeout === 'number' && timeout >= 0;
  return isSeconds ? { ...map, timeout: `${timeout}s` } : { ...map };
}
