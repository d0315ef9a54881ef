import { lazy } from '../../../contract/lazy.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { closest } from '../../kernel/closest.ts';

/** Finds tools by the names that scripts use: `tools.server.tool`. */
export interface ScriptTools {
  /** The tool `tools.server.tool`, or the tool `tools.tool` with any of its other names if the server is empty. */
  find(server: string, tool: string): CatalogEntry | { readonly problem: string };
  /** The names of the tools by server. */
  list(): Readonly<Record<string, readonly string[]>>;
}

type NamedTool = Pick<CatalogEntry, 'server' | 'alias' | 'originalName'>;

const maxSuggestions = 3;
const maxServers = 20;

/** The server of local tools in scripts. */
const localServer = 'local';

/** The tools that a script may use. Names with other characters can also be written with `_` instead. */
export function createScriptTools(entries: Iterable<CatalogEntry>): ScriptTools {
  const servers = new Map<string, Map<string, CatalogEntry>>();
  for (const entry of entries) {
    const { server, tool } = scriptNames(entry);
    const tools = servers.get(server) ?? new Map<string, CatalogEntry>();
    tools.set(tool, entry);
    servers.set(server, tools);
  }
  const findByAnyName = lazy(() => createNameFinder([...servers.values()].flatMap((tools) => [...tools.values()])));

  /** The nearest names of tools. */
  function suggest(name: string): string {
    const paths = [...servers].flatMap(([server, tools]) => [...tools.keys()].map((tool) => `${server}.${tool}`));
    const wanted = plainName(name);
    const tool = wanted.slice(wanted.lastIndexOf('_') + 1);
    const meant = [
      closest(name, paths),
      ...paths.filter((path) => tool.length > 2 && plainName(path).endsWith(tool)).slice(0, maxSuggestions),
    ];
    const names = [...new Set(meant.filter((path) => path !== undefined))].slice(0, maxSuggestions);
    if (names.length === 0 && servers.size > 0)
      return ` Servers: ${[...servers.keys()].slice(0, maxServers).join(', ')}.`;
    return names.length === 0 ? '' : ` Did you mean ${names.map((path) => `tools.${path}`).join(' or ')}?`;
  }

  return {
    list: () => Object.fromEntries([...servers].map(([server, tools]) => [server, [...tools.keys()]])),
    find(server, tool) {
      if (server === '') {
        const entry = findByAnyName()(tool);
        if (entry) return entry;
        const tools = lookUp(servers, tool);
        const problem = tools
          ? `tools.${tool} is a server, not a tool. Its tools: ${[...tools.keys()].slice(0, maxServers).join(', ')}.`
          : `Unknown tool: tools.${tool}.${suggest(tool)}`;
        return { problem: `${problem} Find tools with search()` };
      }
      const tools = lookUp(servers, server);
      const entry = tools && lookUp(tools, tool);
      if (entry) return entry;
      // Models also write other names of a tool with dots: tools.mcp.server.tool.
      const other = findByAnyName()(`${server}.${tool}`);
      if (other) return other;
      return {
        problem: `Unknown tool: tools.${server}.${tool}.${suggest(`${server}.${tool}`)} Find tools with search()`,
      };
    },
  };
}

/** Finds a tool by any of its names: `server/tool`, `mcp_server_tool`, `server__tool`, or its own name if no other tool has it. */
export function createNameFinder<Named extends NamedTool & { readonly name?: string }>(
  entries: Iterable<Named>,
): (name: string) => Named | undefined {
  const byName = new Map<string, Named | undefined>();
  const add = (name: string, entry: Named) => {
    // A name of two tools names neither.
    const known = byName.get(name);
    byName.set(name, byName.has(name) && known !== entry ? undefined : entry);
  };
  for (const entry of entries) {
    const { server, tool } = scriptNames(entry);
    const names = new Set([`${server}.${tool}`, entry.name ?? tool, tool].map(plainName));
    for (const name of names) add(name, entry);
  }
  return (name) => byName.get(plainName(name));
}

/** The name without a prefix of clients or scripts, and with one `_` for every separator. */
function plainName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '');
  return plain
    .replace(/^tools_/, '')
    .replace(/^mcp_(?=.)/, '')
    .toLowerCase();
}

/** The names under which scripts call a tool. */
export function scriptNames({ server = localServer, alias, originalName }: NamedTool) {
  return { server, tool: alias ?? originalName };
}

/** How a script calls a tool: `tools.github.create_issue`. */
export function scriptPath(named: NamedTool): string {
  const { server, tool } = scriptNames(named);
  return `tools${member(server)}${member(tool)}`;
}

function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function lookUp<Value>(values: ReadonlyMap<string, Value>, name: string): Value | undefined {
  const exact = values.get(name);
  if (exact !== undefined) return exact;
  const similar = [...values].filter(([known]) => known.replace(/[^\w$]/g, '_') === name);
  return similar.length === 1 ? similar[0]?.[1] : undefined;
}
