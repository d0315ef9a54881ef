import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { LocalTool } from '../catalog/local-tool.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';

/**
 * Loads the tools of the modules that the configuration lists under `localTools`, in that order. A module is evaluated
 * again only if its content changed since it was last loaded.
 */
export async function loadLocalTools(files: readonly string[]): Promise<readonly LocalTool[]> {
  return (await Promise.all(files.map(loadModule))).flat();
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

/** Imports a module again if its content changed since it was last imported. */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(file);
  // Node caches modules by URL.
  url.searchParams.set('content', hashOf(await readFile(file, 'utf8')));
  return import(/* @vite-ignore */ url.href);
}

function isLocalTool(value: unknown): value is LocalTool {
  return isObject(value) && typeof value.name === 'string' && typeof value.execute === 'function';
}

function loadError(file: string, reason: string, cause?: unknown): ToolwharfError {
  const message = `Local tools cannot be loaded from ${file}: ${reason}`;
  return new ToolwharfError('CONFIG_INVALID', message, { cause, data: { file } });
}
