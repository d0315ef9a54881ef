import type { z } from 'zod';
import { importedServerSchema, type importedServersSchema } from '../../../contract/api/servers.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ServerSpec } from '../../../contract/settings/config.ts';
import { type Assembled, assembleConfig } from '../../../toolwharf/config/assemble-config.ts';
import { toCamelCase } from '../../../toolwharf/config/canonical-keys.ts';
import { layoutOf } from '../../../toolwharf/config/dialects/client.ts';
import { copyPlain, isPlainMap, type PlainObject } from '../../../toolwharf/config/plain-data.ts';
import { type Problem, problemLine } from '../../../toolwharf/config/problems.ts';
import { readProduct } from '../../../toolwharf/config/products/read-product.ts';
import { looksLikeJson, readDocument } from '../../../toolwharf/config/read-document.ts';
import { parseReference, parseSecretReference } from '../../../toolwharf/config/references.ts';
import { readPasted } from './read-pasted.ts';
import { toProblems } from './request-problems.ts';

type Imported = z.input<typeof importedServersSchema>;
type ImportedServer = z.output<typeof importedServerSchema>;
type ImportProblem = Imported['problems'][number];

const maxCharacters = 64 * 1024;

/**
 * Extracts the servers of a pasted configuration in any dialect, command line, URL or link. Settings that cannot be imported are reported as problems. The
 * gateway's own environment is never used.
 */
export function importServers(pasted: string): Imported {
  // Reading YAML with positions takes several seconds for a megabyte, and blocks all other requests.
  if (pasted.length > maxCharacters) {
    const message = `The configuration is longer than ${maxCharacters / 1024} KiB: import fewer servers at a time`;
    return { servers: [], problems: [{ message }] };
  }
  const { document: parsed, problems: syntax = [] } = readText(pasted);
  if (syntax.length > 0) return { servers: [], problems: syntax };
  const { value, findings } = copyPlain(parsed);
  if (findings.length > 0 || !isPlainMap(value))
    return { servers: [], problems: [{ message: 'This is not a configuration with servers' }] };
  const servers: ImportedServer[] = [];
  const problems: ImportProblem[] = [];
  const { document: readable, product } = readProduct(wrapServers(value), (message) => problems.push({ message }));
  if (product && isPlainMap(readable.profiles)) {
    const groups = Object.keys(readable.profiles).join(', ');
    problems.push({ message: `Groups of servers are not imported. Create a profile for each: ${groups}` });
  }
  for (const part of splitServers(readable)) {
    const outcome = tryAssemble(part.document);
    const { name } = part;
    const messages = 'problems' in outcome ? outcome.problems : outcome.warnings;
    for (const message of messages) problems.push({ name, message });
    if ('config' in outcome) {
      for (const spec of outcome.config.servers) importServer(spec, nativeOf(spec.name, outcome), servers, problems);
    }
  }
  if (servers.length + problems.length === 0) problems.push({ message: 'The configuration contains no servers' });
  return { servers, problems };
}

function readText(pasted: string): { readonly document?: unknown; readonly problems?: readonly ImportProblem[] } {
  const servers = readPasted(pasted);
  if (servers) return { document: servers };
  const text = addBraces(pasted);
  const { value, problems } = readDocument(text, { json: looksLikeJson(text) });
  const lines = problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  return { document: value, problems: lines.map((message) => ({ message })) };
}

/** Accepts entries that were copied out of a JSON object, without its braces and with a trailing comma. */
function addBraces(text: string): string {
  return /^\s*"(?:[^"\\\n]|\\.)*"\s*:/.test(text) ? `{${text.trimEnd().replace(/,$/, '')}\n}` : text;
}

/** Accepts server entries that were copied without their top-level key. */
function wrapServers(document: PlainObject): PlainObject {
  const entries = Object.values(document);
  const isEntry = (entry: unknown) =>
    isObject(entry) && ['command', 'url', 'serverUrl', 'httpUrl'].some((key) => typeof entry[key] === 'string');
  return entries.length > 0 && entries.every(isEntry) ? { mcpServers: document } : document;
}

/** One document per server, so that an invalid server does not affect the others. */
function splitServers(document: PlainObject): readonly { readonly name?: string; readonly document: PlainObject }[] {
  const layout = layoutOf(document);
  if (!layout || !isPlainMap(layout.servers)) return [{ document }];
  const key = layout.vscode ? 'servers' : 'mcpServers';
  return Object.entries(layout.servers).map(([name, server]) => ({
    name,
    document: { [key]: { [name]: server }, ...(layout.vscode && { inputs: layout.inputs ?? [] }) },
  }));
}

function tryAssemble(document: PlainObject): Assembled | { readonly problems: readonly string[] } {
  try {
    return assembleConfig(document, { env: {}, keepReferences: true });
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || !Array.isArray(cause.data.problems)) throw cause;
    return { problems: (cause.data.problems as readonly Problem[]).map(problemLine) };
  }
}

function nativeOf(name: string, { native }: Assembled): PlainObject {
  const server = isPlainMap(native.servers) ? native.servers[name] : undefined;
  return isPlainMap(server) ? server : {};
}

function importServer(
  spec: ServerSpec,
  native: PlainObject,
  servers: ImportedServer[],
  problems: ImportProblem[],
): void {
  const { name } = spec;
  const input = toInput(spec, native);
  const checked = importedServerSchema.safeParse(input);
  if (!checked.success) {
    const wrong = toProblems(name, checked.error, input).map(({ path, message }) => `${path}: ${message}`);
    problems.push({ name, message: `Not imported: ${wrong.join('; ')}` });
    return;
  }
  servers.push(checked.data);
  const references = referencesIn(checked.data);
  if (references.length > 0)
    problems.push({ name, message: `Replace the variable with its value: ${references.join(', ')}` });
}

/** A server as the body of `addServer`: what was written, and the values people look at first. */
function toInput(spec: ServerSpec, native: PlainObject): JsonObject {
  const { name, target, timeoutMs, rate, ...settings } = spec;
  const { timeoutMs: timeout, ...limits } = settings.defaultTool;
  const server = {
    ...settings,
    ...target,
    timeout: timeoutMs,
    defaultToolConfig: { ...limits, timeout },
    rate: rate && { calls: rate.calls, per: rate.perMs },
  };
  const shown = new Set(['description', 'enabled', 'timeout', 'retryAttempts', ...Object.keys(target)]);
  for (const key of Object.keys(native)) shown.add(toCamelCase(key));
  return { name, ...Object.fromEntries(Object.entries(server).filter(([key]) => shown.has(key))) };
}

/** The paths of all variable references in a server. */
function referencesIn(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return (parseReference(value) ?? parseSecretReference(value)) ? [path.join('.')] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => referencesIn(item, [...path, String(at)]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => referencesIn(member, [...path, key]));
}
