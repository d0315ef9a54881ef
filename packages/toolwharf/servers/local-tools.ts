import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import type { ChainConfig, Config, ToolboxConfig, ToolLimits } from '../../contract/settings/config.ts';
import { limitsOf } from '../../contract/settings/defaults.ts';
import type { Catalog, UnnamedEntry } from '../catalog/catalog.ts';
import { noArguments, toChainTool } from '../catalog/chain-tool.ts';
import { definitionHash } from '../catalog/definition-hash.ts';
import { type LocalTool, type ScriptTool, toLocalDefinition } from '../catalog/local-tool.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

/** The tools of a toolbox that belong to no server: those of the program and of plugins. */
export interface LocalTools {
  /** Reads the tools of the program and of plugins. Rejects if they cannot be used. */
  prepare(config: Config, ofPlugins: PluginToolSource): Promise<PreparedLocalTools>;
  /** Lists the changing tools again. */
  refresh(): Promise<void>;
}

/** The tools of plugins. */
export interface PluginToolSource {
  /** Those of a configuration. */
  tools(config: Config): Promise<readonly (LocalTool | ScriptTool)[]>;
  /** Those that change while they are used. Other tools of the same name win, and they need not be configured. */
  changingTools(): readonly (LocalTool | ScriptTool)[];
}

/** The local tools of a configuration that is not in use yet. */
export interface PreparedLocalTools {
  readonly tools: readonly UnnamedEntry[];
  /** The tools with the changing ones beside them. */
  all(): readonly UnnamedEntry[];
  /** Changing tools are listed for this configuration from now on. */
  use(): void;
}

export interface LocalToolsPorts {
  readonly catalog: Pick<Catalog, 'setLocal'>;
  readonly ofProgram?: readonly LocalTool[];
}

export function createLocalTools({ catalog, ofProgram = [] }: LocalToolsPorts): LocalTools {
  let current: PreparedLocalTools | undefined;
  return {
    async prepare(config, ofPlugins) {
      const { toolbox } = config;
      const tools = toEntries([...ofProgram, ...(await ofPlugins.tools(config))].map(toCandidate), toolbox);
      const taken = new Set(tools.map(({ originalName }) => originalName));
      const prepared: PreparedLocalTools = {
        tools,
        all() {
          const changing = ofPlugins.changingTools().filter(({ name }) => !taken.has(name));
          return [...tools, ...toEntries(changing.map(toCandidate), { ...toolbox, localToolsMustBeConfigured: false })];
        },
        use() {
          current = prepared;
        },
      };
      return prepared;
    },
    async refresh() {
      if (current) await catalog.setLocal(current.all());
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

/** A tool without a server, before the limits of the configuration apply. */
interface Candidate {
  readonly definition: ToolDefinition;
  readonly definitionHash: string;
  readonly runs: Pick<UnnamedEntry, 'local' | 'script' | 'annotations'>;
  readonly limits: Partial<ToolLimits>;
}

/** The chains of a configuration as tools. */
export function toChainTools(chains: readonly ChainConfig[]): readonly (LocalTool | ScriptTool)[] {
  return chains.map((chain) => {
    const { name, description, input: parameters, code } = chain;
    return code === undefined ? toChainTool(chain) : { name, description, parameters, code, ...limitsOf(chain) };
  });
}

function toCandidate(tool: LocalTool | ScriptTool): Candidate {
  // Programs may be untyped: `ofLocalTool` checks what it gets.
  return Object.hasOwn(Object(tool), 'code') ? ofScript(tool as ScriptTool) : ofLocalTool(tool as LocalTool);
}

function ofLocalTool(tool: LocalTool): Candidate {
  const definition = toLocalDefinition(tool);
  const hash = definitionHash(definition);
  const runs = { local: tool, annotations: tool.annotations };
  return { definition, definitionHash: hash, runs, limits: limitsOf(tool) };
}

function ofScript({ name, description = '', parameters, code, ...limits }: ScriptTool): Candidate {
  const definition = { name, description, inputSchema: parameters ?? noArguments };
  // Another script is another tool: a remembered approval must not apply to it.
  const hash = hashOf([definitionHash(definition), code]);
  return { definition, definitionHash: hash, runs: { script: { code } }, limits: limitsOf(limits) };
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
  return candidates.map(({ definition, definitionHash: hash, runs, limits }) => ({
    originalName: definition.name,
    // The program's own tools are as trusted as the program.
    serverTrusted: true,
    definition,
    definitionHash: hash,
    limits: { ...config.defaultTool, ...limits, ...limitsOf(configured.get(definition.name) ?? {}) },
    paramHeaders: [],
    ...runs,
  }));
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
  if (file.endsWith('.py')) throw loadError(file, pythonHint(file));
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

function pythonHint(file: string): string {
  const module = basename(file, '.py');
  return [
    'it is a Python module. Serve its functions as an MCP server, for example with FastMCP:',
    '',
    '  from fastmcp import FastMCP',
    `  import ${module}; server = FastMCP("${module}"); server.tool(${module}.my_function)`,
    '  server.run()',
    '',
    `and list that program under 'servers': { ${module}: { command: uv, args: [run, --with, fastmcp, server.py] } }`,
  ].join('\n');
}

function isLocalTool(value: unknown): value is LocalTool {
  return isObject(value) && typeof value.name === 'string' && typeof value.execute === 'function';
}

function loadError(file: string, reason: string, cause?: unknown): ToolwharfError {
  const message = `Local tools cannot be loaded from ${file}: ${reason}`;
  return new ToolwharfError('CONFIG_INVALID', message, { cause, data: { file } });
}
