import type { CatalogEntry } from '../../catalog/catalog.ts';
import { closest } from '../../kernel/closest.ts';

/** Finds tools by the names that scripts use: `tools.server.tool`. */
export interface ScriptTools {
  find(server: string, tool: string): CatalogEntry | { readonly problem: string };
}

type NamedTool = Pick<CatalogEntry, 'server' | 'alias' | 'originalName'>;

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
  return {
    find(server, tool) {
      const tools = lookUp(servers, server);
      const entry = tools && lookUp(tools, tool);
      if (entry) return entry;
      const candidates = tools
        ? [...tools.keys()].map((name) => `${server}.${name}`)
        : [...servers.keys()].map((name) => `${name}.${tool}`);
      const meant = closest(`${server}.${tool}`, candidates);
      const hint = meant === undefined ? '' : ` Did you mean tools.${meant}?`;
      return { problem: `Unknown tool: tools.${server}.${tool}.${hint} Find tools with search()` };
    },
  };
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
