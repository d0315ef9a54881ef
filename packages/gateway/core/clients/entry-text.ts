import { stringify } from 'yaml';
import type { McpClient } from './mcp-clients.ts';

/** The text that adds an entry to the configuration file of a client. */
export function entryText(
  client: Pick<McpClient, 'format' | 'paths' | 'wholeFile'>,
  name: string,
  entry: object,
): string {
  const path = client.paths.at(-1) ?? [];
  if (client.format === 'toml') return toTomlTable([...path, name], entry);
  const content =
    client.wholeFile?.(name, entry) ?? [...path, name].reduceRight<object>((inner, key) => ({ [key]: inner }), entry);
  return client.format === 'json' ? JSON.stringify(content, undefined, 2) : stringify(content, { lineWidth: 0 });
}

/** A TOML table whose values are texts, numbers, booleans, lists and maps of these. */
export function toTomlTable(path: readonly string[], table: object): string {
  const lines = Object.entries(table).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
  return [`[${path.map(tomlKey).join('.')}]`, ...lines, ''].join('\n');
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlText(key);
}

function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value === 'string') return tomlText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, member]) => `${tomlKey(key)} = ${tomlValue(member)}`);
  return `{ ${members.join(', ')} }`;
}

/** A basic string. The escapes of JSON are escapes of TOML; JSON leaves the control character DEL as it is. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
