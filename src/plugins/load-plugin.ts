import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isBuiltIn } from '../config/check-server.ts';
import type { ServerSpec } from '../config/config.ts';
import type { PluginEntry } from '../config/plugin-config.ts';
import type { Finding, Path } from '../config/problems.ts';
import { type Environment, resolveOptions } from '../config/references.ts';
import { transports as builtIn } from '../config/transports.ts';
import { closest } from '../kernel/closest.ts';
import { messageOf } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import { issueText } from '../kernel/standard-schema.ts';
import { importFile } from '../servers/local-tools.ts';
import type { CreatePlugin, Plugin, PluginTransport } from './plugin.ts';
import { runInTime } from './run-in-time.ts';

export interface LoadPluginOptions {
  readonly env: Environment;
  readonly log: Log;
}

/** How long a plugin may take to be created. */
const timeoutMs = 30_000;

/** Loads a plugin of the configuration. Rejects with the cause and the remedy. */
export async function loadPlugin(entry: PluginEntry, { env, log }: LoadPluginOptions): Promise<Plugin> {
  const { default: exported } = await importModule(entry);
  if (exported === undefined)
    throw new Error(`'${entry.module}' has no default export: export a plugin, or a function that creates one`);
  if (typeof exported !== 'function') {
    if (entry.options)
      throw new Error(
        `'${entry.module}' takes no options: remove them, or let it export a function that takes options`,
      );
    return checkPlugin(exported, `the default export of '${entry.module}'`);
  }
  const create = exported as CreatePlugin;
  const options = resolveOptions(entry.options ?? {}, { env, log });
  const created = await runInTime(() => create(options, { log }), timeoutMs).catch((cause) => {
    throw new Error(`'${entry.module}' could not be created: ${messageOf(cause)}`, { cause });
  });
  return checkPlugin(created, `the plugin that '${entry.module}' creates`);
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
  policy: 'a function',
  approver: 'a function',
  exporter: 'a function',
  transports: 'a map',
  tools: 'a list',
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
  return value as unknown as Plugin;
}

interface Loaded {
  readonly plugin: Plugin;
}

/** Returns every problem of the plugins' transports, and of the servers that use them. */
export async function checkTransports<Used extends Loaded>(
  used: readonly Used[],
  servers: readonly ServerSpec[],
  pathOf: (plugin: Used) => Path,
  context: { readonly env: Environment; readonly log: Log },
): Promise<readonly Finding[]> {
  const problems: Finding[] = [];
  const transports = new Map<string, PluginTransport>();
  for (const one of used) {
    for (const [name, transport] of Object.entries(one.plugin.transports ?? {})) {
      const problem = isBuiltIn(name)
        ? 'is built in'
        : transports.has(name)
          ? 'is added by another plugin too'
          : undefined;
      if (problem)
        problems.push({ path: pathOf(one), message: `the transport '${name}' of '${one.plugin.name}' ${problem}` });
      transports.set(name, transport);
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
export async function parseOptions({ options: schema }: PluginTransport, options: JsonObject): Promise<unknown> {
  if (!schema) return options;
  const result = await schema['~standard'].validate(options);
  if (result.issues) throw new Error(result.issues.map(issueText).join('; '));
  return result.value;
}

function isOfKind(value: unknown, kind: (typeof kinds)[keyof typeof kinds]): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'a function') return typeof value === 'function';
  return kind === 'a list' ? Array.isArray(value) : isObject(value);
}

/** Finds the main module of an installed package, or of a subpath of it, as an import in a file of the directory would. */
function resolveModule(specifier: string, directory: string): URL {
  const base = pathToFileURL(join(directory, 'toolwharf.yaml'));
  try {
    return pathToFileURL(createRequire(base).resolve(specifier));
  } catch (cause) {
    // A package that can only be imported has no path for `require`.
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw cause;
    const manifest = findPackageJSON(specifier, base);
    const path = manifest && importPath(specifier, JSON.parse(readFileSync(manifest, 'utf8')));
    if (manifest === undefined || path === undefined) throw cause;
    return pathToFileURL(join(dirname(manifest), path));
  }
}

function importPath(specifier: string, { name, exports }: { name?: unknown; exports?: unknown }): string | undefined {
  const subpath = `.${specifier.slice(String(name).length)}`;
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
