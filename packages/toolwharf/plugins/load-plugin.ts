import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { isPermission } from '../../contract/rights.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { PluginEntry } from '../../contract/settings/plugin-config.ts';
import { transports as builtIn } from '../../contract/settings/transports.ts';
import { isBuiltIn } from '../config/check-server.ts';
import type { Finding, Path } from '../config/problems.ts';
import { type Environment, programSchemes, resolveOptions } from '../config/references.ts';
import { closest } from '../kernel/closest.ts';
import { findPackage } from '../kernel/find-package.ts';
import type { Log } from '../kernel/log.ts';
import { isStandardSchema, issueText, type StandardSchema } from '../kernel/standard-schema.ts';
import { importFile } from '../servers/local-tools.ts';
import { runInTime } from './active-plugin.ts';
import type { CreatePlugin, Plugin, PluginTransport } from './plugin.ts';

export interface LoadPluginOptions {
  readonly env: Environment;
  readonly log: Log;
}

/** How long a plugin may take to be created. */
const timeoutMs = 30_000;

interface Loaded {
  readonly plugin: Plugin;
  /** The parsed options. */
  readonly settings: unknown;
}

/** Loads a plugin of the configuration. Rejects with the cause and the remedy. */
export async function loadPlugin(entry: PluginEntry, { env, log }: LoadPluginOptions): Promise<Loaded> {
  const { default: exported } = await importModule(entry);
  if (exported === undefined)
    throw new Error(`'${entry.module}' has no default export: export a plugin, or a function that creates one`);
  const options = resolveOptions(entry.options ?? {}, { env, log });
  const plugin = await toPlugin(entry, exported, options, log);
  return { plugin, settings: await parseSettings(plugin, options, `'${entry.module}'`) };
}

async function toPlugin(entry: PluginEntry, exported: unknown, options: JsonObject, log: Log): Promise<Plugin> {
  if (typeof exported === 'function') {
    const create = exported as CreatePlugin;
    const created = await runInTime(() => create(options, { log }), timeoutMs).catch((cause) => {
      throw new Error(`'${entry.module}' could not be created: ${messageOf(cause)}`, { cause });
    });
    return checkPlugin(created, `the plugin that '${entry.module}' creates`);
  }
  const plugin = checkPlugin(exported, `the default export of '${entry.module}'`);
  if (!entry.options || plugin.settings) return plugin;
  const remedy = "remove them, or let it have 'settings' or export a function that takes options";
  throw new Error(`'${entry.module}' takes no options: ${remedy}`);
}

/** The options as the plugin's `settings` parse them. Rejects with all their issues. */
export async function parseSettings({ settings }: Plugin, options: JsonObject, what: string): Promise<unknown> {
  return parseWith(settings, options).catch((cause) => {
    throw new Error(`${what} rejects its options: ${messageOf(cause)}`, { cause });
  });
}

async function importModule({ module, file, directory }: PluginEntry): Promise<{ readonly default?: unknown }> {
  try {
    if (file !== undefined) return await importFile(file);
    const url = findModule(module, directory);
    return await import(/* @vite-ignore */ url.href);
  } catch (cause) {
    const isMissing = file !== undefined && (cause as NodeJS.ErrnoException).path === file;
    const reason = isMissing
      ? `there is no file ${file}; paths are relative to the configuration file`
      : messageOf(cause);
    throw new Error(`cannot load '${module}': ${reason}`, { cause });
  }
}

function findModule(module: string, directory: string): URL {
  try {
    return resolveModule(module, directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error(`it is not installed in ${directory}; run \`npm install ${module}\` there`);
  }
}

const kinds = {
  name: 'text',
  settings: 'a Standard Schema',
  section: 'text',
  configure: 'a function',
  subscribe: 'a function',
  secrets: 'a map',
  list: 'a function',
  launch: 'a function',
  change: 'a function',
  trace: 'a function',
  review: 'a function',
  allowFlow: 'a function',
  reserve: 'a function',
  needsResult: 'a function',
  result: 'a function',
  redactor: 'a map with a function redact',
  notify: 'a function',
  policy: 'a function',
  approver: 'a function',
  exporter: 'a function, or a map with content: false and export',
  transports: 'a map',
  tools: 'a list, a function, or a map with list and subscribe',
  records: 'a map',
  routes: 'a list',
  close: 'a function',
} as const;

/** Checks the shape of a plugin. `what` names it in messages. */
export function checkPlugin(value: unknown, what: string): Plugin {
  if (!isObject(value)) throw new Error(`${what} is not a plugin: it must be an object with a name`);
  for (const [key, member] of Object.entries(value)) {
    if (!Object.hasOwn(kinds, key)) {
      const similar = closest(key, Object.keys(kinds));
      throw new Error(
        `${what} has an unknown key '${key}'${similar === undefined ? '' : `; did you mean '${similar}'?`}`,
      );
    }
    const kind = kinds[key as keyof typeof kinds];
    if (member !== undefined && !isOfKind(member, kind)) throw new Error(`'${key}' of ${what} must be ${kind}`);
  }
  if (typeof value.name !== 'string' || !/^[a-z0-9][a-z0-9._-]{0,59}$/.test(value.name))
    throw new Error(`${what} needs a name of 1 to 60 characters: a-z, 0-9, '.', '_' and '-'`);
  for (const [name, transport] of Object.entries(value.transports ?? {})) {
    if (!isObject(transport) || typeof transport.open !== 'function')
      throw new Error(`transport '${name}' of ${what} needs a function 'open'`);
  }
  for (const [scheme, resolve] of Object.entries(value.secrets ?? {})) {
    if (typeof resolve !== 'function') throw new Error(`scheme '${scheme}' of ${what} must be a function`);
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(scheme))
      throw new Error(`scheme '${scheme}' of ${what} must have 1 to 40 characters: a-z, 0-9 and '-'`);
  }
  for (const [kind, type] of Object.entries(value.records ?? {})) {
    if (!isObject(type)) throw new Error(`the kind of records '${kind}' of ${what} must be a map`);
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(kind))
      throw new Error(`the kind of records '${kind}' of ${what} must have 1 to 40 characters: a-z, 0-9 and '-'`);
    if (type.schema !== undefined && !isStandardSchema(type.schema))
      throw new Error(`'schema' of the records '${kind}' of ${what} must be a Standard Schema`);
  }
  for (const [index, route] of ((value.routes ?? []) as readonly unknown[]).entries())
    checkRoute(route, `route ${index} of ${what}`);
  if (value.policy !== undefined && value.review !== undefined)
    throw new Error(`${what} has 'policy' and 'review', which are the same: keep 'review'`);
  return value as unknown as Plugin;
}

const methods: readonly unknown[] = ['get', 'post', 'put', 'delete'];

function checkRoute(route: unknown, what: string): void {
  if (!isObject(route) || typeof route.handle !== 'function') throw new Error(`${what} needs a function 'handle'`);
  if (!methods.includes(route.method)) throw new Error(`'method' of ${what} must be get, post, put or delete`);
  if (typeof route.path !== 'string' || !/^(\/(\{[a-zA-Z]\w*\}|[\w.~-]+))+$/.test(route.path))
    throw new Error(`'path' of ${what} must be like /reports/{id}`);
  if (route.right !== undefined && !(typeof route.right === 'string' && isPermission(route.right)))
    throw new Error(`'right' of ${what} must be a permission, such as tools.read or tools.call`);
  for (const part of ['query', 'body'] as const) {
    if (route[part] !== undefined && !isStandardSchema(route[part]))
      throw new Error(`'${part}' of ${what} must be a Standard Schema`);
  }
}

/** Returns every problem of the plugins' transports and secrets, and of the servers that use the transports. */
export async function checkParts<Used extends Pick<Loaded, 'plugin'>>(
  used: readonly Used[],
  servers: readonly ServerSpec[],
  pathOf: (plugin: Used) => Path,
  context: { readonly env: Environment; readonly log: Log },
): Promise<readonly Finding[]> {
  const problems: Finding[] = [];
  const transports = new Map<string, PluginTransport>();
  const schemes = new Set(['file', 'account', ...programSchemes]);
  for (const one of used) {
    const { name: plugin, secrets = {} } = one.plugin;
    for (const [name, transport] of Object.entries(one.plugin.transports ?? {})) {
      const problem = isBuiltIn(name)
        ? 'is built in'
        : transports.has(name)
          ? 'is added by another plugin too'
          : undefined;
      if (problem) problems.push({ path: pathOf(one), message: `the transport '${name}' of '${plugin}' ${problem}` });
      transports.set(name, transport);
    }
    for (const scheme of Object.keys(secrets)) {
      if (schemes.has(scheme))
        problems.push({ path: pathOf(one), message: `the scheme '${scheme}' of '${plugin}' is in use already` });
      schemes.add(scheme);
    }
  }
  for (const { name: server, target } of servers) {
    if (target.transport !== 'plugin') continue;
    const path = ['servers', server];
    const transport = transports.get(target.name);
    if (!transport) {
      const allowed = [...new Set([...builtIn, ...transports.keys()])];
      problems.push({
        path: [...path, 'transport'],
        message: `unknown transport of server '${server}'`,
        found: JSON.stringify(target.name),
        allowed,
        suggestion: closest(target.name, allowed),
      });
      continue;
    }
    try {
      await parseOptions(transport, resolveOptions(target.options, context));
    } catch (cause) {
      problems.push({ path: [...path, 'options'], message: messageOf(cause), atKey: true });
    }
  }
  return problems;
}

/** The options as the transport's schema parses them. Rejects with all its issues. */
export function parseOptions({ options: schema }: PluginTransport, options: JsonObject): Promise<unknown> {
  return parseWith(schema, options);
}

async function parseWith(schema: StandardSchema | undefined, options: JsonObject): Promise<unknown> {
  if (!schema) return options;
  const result = await schema['~standard'].validate(options);
  if (result.issues) throw new Error(result.issues.map(issueText).join('; '));
  return result.value;
}

function isOfKind(value: unknown, kind: (typeof kinds)[keyof typeof kinds]): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'a function':
      return typeof value === 'function';
    case 'a list, a function, or a map with list and subscribe':
      return (
        Array.isArray(value) ||
        typeof value === 'function' ||
        (isObject(value) && typeof value.list === 'function' && typeof value.subscribe === 'function')
      );
    case 'a list':
      return Array.isArray(value);
    case 'a map with a function redact':
      return isObject(value) && typeof value.redact === 'function';
    case 'a map':
      return isObject(value);
    case 'a Standard Schema':
      return isStandardSchema(value);
    default:
      return (
        typeof value === 'function' ||
        (isObject(value) && value.content === false && typeof value.export === 'function')
      );
  }
}

/** Finds the main module of an installed package, or of a subpath of it, as an import in a file of the directory would. */
function resolveModule(specifier: string, directory: string): URL {
  const importer = join(directory, 'toolwharf.yaml');
  try {
    return pathToFileURL(createRequire(importer).resolve(specifier));
  } catch (cause) {
    // A package that can only be imported has no path for `require`.
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw cause;
    const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    const root = findPackage(name, importer);
    const path = root && importPath(`.${specifier.slice(name.length)}`, readExports(root));
    if (root === undefined || path === undefined) throw cause;
    return pathToFileURL(join(root, path));
  }
}

function readExports(root: string): unknown {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports;
}

function importPath(subpath: string, exports: unknown): string | undefined {
  const isMap = isObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  return byCondition(isMap ? (exports as Record<string, unknown>)[subpath] : subpath === '.' ? exports : undefined);
}

/** The path for an import in Node: the first condition that holds decides. */
function byCondition(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isObject(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    const path = ['node', 'import', 'default'].includes(condition) ? byCondition(value) : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}
