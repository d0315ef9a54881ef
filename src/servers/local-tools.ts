import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Catalog, UnnamedEntry } from '../catalog/catalog.ts';
import { noArguments, toChainTool } from '../catalog/chain-tool.ts';
import { definitionHash } from '../catalog/definition-hash.ts';
import { type LocalTool, toLocalDefinition } from '../catalog/local-tool.ts';
import type { ChainConfig, Config, ToolboxConfig, ToolLimits } from '../config/config.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

/** The tools of a toolbox that belong to no server: those of the program and of the configuration, and saved scripts. */
export interface LocalTools {
  /** Reads the tools of the program, of plugins and of a configuration. Rejects if they cannot be used. */
  load(config: Config, ofPlugins: readonly LocalTool[]): Promise<readonly UnnamedEntry[]>;
  /** Offers the tools of a configuration, and the saved scripts beside them. */
  use(config: Config, tools: readonly UnnamedEntry[]): Promise<void>;
  /** Replaces the saved scripts. `build` is called again for another configuration. */
  setScripts(build: (config: Config) => readonly ChainConfig[]): Promise<void>;
}

export interface LocalToolsPorts {
  readonly catalog: Pick<Catalog, 'setLocal'>;
  readonly ofProgram?: readonly LocalTool[];
}

export function createLocalTools({ catalog, ofProgram = [] }: LocalToolsPorts): LocalTools {
  let current: { readonly config: Config; readonly tools: readonly UnnamedEntry[] } | undefined;
  let build: (config: Config) => readonly ChainConfig[] = () => [];

  async function apply(): Promise<void> {
    if (!current) return;
    const { config, tools } = current;
    await catalog.setLocal([...tools, ...registerScripts(build(config), tools, config.toolbox)]);
  }

  return {
    load: (config, ofPlugins) => registerLocalTools(config, [...ofProgram, ...ofPlugins]),
    use(config, tools) {
      current = { config, tools };
      return apply();
    },
    setScripts(next) {
      build = next;
      return apply();
    },
  };
}

/**
 * Loads the tools of the modules that the configuration lists under `localTools`, in that order. A module is evaluated
 * again only if its content changed since it was last loaded.
 */
export async function loadLocalTools(files: readonly string[]): Promise<readonly LocalTool[]> {
  return (await Promise.all(files.map(loadModule))).flat();
}

/** Imports a module again if its content changed since it was last imported. */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(file);
  // Node caches modules by URL.
  url.searchParams.set('content', hashOf(await readFile(file, 'utf8')));
  return import(/* @vite-ignore */ url.href);
}

/**
 * The catalog entries of all tools that belong to no server: those of the program, of the configured modules, and chains.
 * Rejects if one is not configured in a dialect that requires it.
 */
async function registerLocalTools(
  { localTools, toolbox }: Pick<Config, 'localTools' | 'toolbox'>,
  ofProgram: readonly LocalTool[] = [],
): Promise<readonly UnnamedEntry[]> {
  const ofModules = await loadLocalTools(localTools);
  const [scripts, sequences] = splitChains(toolbox.chains);
  const tools = [...ofProgram, ...ofModules, ...sequences.map(toChainTool)];
  return toEntries([...tools.map(ofLocalTool), ...scripts.map(ofScript)], toolbox);
}

/** The catalog entries of saved scripts. Other local tools win over a script of the same name. */
function registerScripts(
  scripts: readonly ChainConfig[],
  others: readonly UnnamedEntry[],
  config: ToolboxConfig,
): readonly UnnamedEntry[] {
  const taken = new Set(others.map(({ originalName }) => originalName));
  const [own] = splitChains(scripts.filter(({ name }) => !taken.has(name)));
  // An administrator saved them, so they need not be listed in the configuration.
  return toEntries(own.map(ofScript), { ...config, localToolsMustBeConfigured: false });
}

/** A tool without a server, before the limits of the configuration apply. */
interface Candidate extends Partial<ToolLimits> {
  readonly definition: ToolDefinition;
  readonly definitionHash: string;
  readonly runs: Pick<UnnamedEntry, 'local' | 'script' | 'annotations'>;
}

type ScriptChain = ChainConfig & { readonly code: string };

function splitChains(chains: readonly ChainConfig[]): [readonly ScriptChain[], readonly ChainConfig[]] {
  const isScript = (chain: ChainConfig): chain is ScriptChain => chain.code !== undefined;
  return [chains.filter(isScript), chains.filter((chain) => !isScript(chain))];
}

function ofLocalTool(tool: LocalTool): Candidate {
  const { maxInstances, timeoutMs, annotations } = tool;
  const definition = toLocalDefinition(tool);
  const hash = definitionHash(definition);
  return { maxInstances, timeoutMs, definition, definitionHash: hash, runs: { local: tool, annotations } };
}

function ofScript({ name, description = '', input, code, maxInstances, timeoutMs }: ScriptChain): Candidate {
  const definition = { name, description, inputSchema: input ?? noArguments };
  // Another script is another tool: a remembered approval must not apply to it.
  const hash = hashOf([definitionHash(definition), code]);
  return { maxInstances, timeoutMs, definition, definitionHash: hash, runs: { script: { code } } };
}

function toEntries(candidates: readonly Candidate[], config: ToolboxConfig): readonly UnnamedEntry[] {
  const names = new Set<string>();
  for (const { definition } of candidates) {
    const { name } = definition;
    if (names.has(name))
      throw new ToolwharfError('CONFIG_INVALID', `Local tool '${name}' is registered twice`, { data: { tool: name } });
    names.add(name);
  }
  const configured = new Map(config.tools.filter((tool) => tool.server === undefined).map((tool) => [tool.name, tool]));
  const missing = config.localToolsMustBeConfigured ? [...names].filter((name) => !configured.has(name)) : [];
  if (missing.length > 0) throw notConfigured(missing, [...configured.keys()]);
  return candidates.map(({ definition, definitionHash: hash, runs, ...own }) => {
    const settings = configured.get(definition.name);
    return {
      originalName: definition.name,
      // The program's own tools are as trusted as the program.
      serverTrusted: true,
      definition,
      definitionHash: hash,
      limits: {
        maxInstances: settings?.maxInstances ?? own.maxInstances ?? config.defaultTool.maxInstances,
        timeoutMs: settings?.timeoutMs ?? own.timeoutMs ?? config.defaultTool.timeoutMs,
      },
      paramHeaders: [],
      ...runs,
    };
  });
}

function notConfigured(missing: readonly string[], configured: readonly string[]): ToolwharfError {
  const list = missing.map((name) => `'${name}'`).join(', ');
  const [subject, verb] = missing.length === 1 ? ['Local tool', 'is'] : ['Local tools', 'are'];
  const message = [
    `${subject} ${list} ${verb} not configured in the toolbox.`,
    '',
    `Configured tools: [${configured.join(', ')}]`,
    '',
    'To resolve: add each to myai.toolbox.tools in your configuration.',
  ].join('\n');
  return new ToolwharfError('TOOL_NOT_CONFIGURED', message, { data: { missing } });
}

async function loadModule(file: string): Promise<readonly LocalTool[]> {
  const exported = await importFile(file).catch((cause) => {
    throw loadError(file, messageOf(cause), cause);
  });
  const { default: main, ...named } = exported;
  const listed: readonly unknown[] = Array.isArray(main) ? main : main === undefined ? [] : [main];
  const invalid = listed.findIndex((tool) => !isLocalTool(tool));
  if (invalid >= 0) {
    const place = Array.isArray(main) ? `item ${invalid} of its default export` : 'its default export';
    throw loadError(file, `${place} is not a tool: it needs a 'name' and an 'execute' function`);
  }
  // Other exports may be helpers.
  const tools = [...listed, ...Object.values(named)].filter(isLocalTool);
  if (tools.length === 0) throw loadError(file, 'it exports no tools');
  return [...new Set(tools)];
}

function isLocalTool(value: unknown): value is LocalTool {
  return isObject(value) && typeof value.name === 'string' && typeof value.execute === 'function';
}

function loadError(file: string, reason: string, cause?: unknown): ToolwharfError {
  const message = `Local tools cannot be loaded from ${file}: ${reason}`;
  return new ToolwharfError('CONFIG_INVALID', message, { cause, data: { file } });
}
