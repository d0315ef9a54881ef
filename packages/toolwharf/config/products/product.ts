import { isPlainMap, type PlainData, type PlainObject } from '../plain-data.ts';

/** A product whose file lists servers under `mcpServers`, as MCP clients do, and adds keys that clients do not have. */
export type ProductName = 'mcp-hub' | '1mcp' | 'metamcp' | 'supergateway' | 'mcp-proxy';

/** Reports a setting that is imported differently or not at all. Messages never contain values of secrets. */
export type Warn = (message: string) => void;

export interface ProductReader {
  readonly name: ProductName;
  recognises(document: PlainObject, servers: readonly PlainObject[]): boolean;
  /** Converts the servers to the format of MCP clients, and groups of servers to profiles. */
  convert(document: PlainObject, servers: PlainObject, warn: Warn): ConvertedProduct;
}

export interface ConvertedProduct {
  readonly servers: PlainObject;
  readonly profiles?: PlainObject;
}

/** Converts the value of one key of a server and adds the result to `server`. */
export type KeyReader = (value: PlainData, server: PlainObject) => void;

/** Converts the keys of a server that have a reader and copies the others. Keys without a value are omitted. */
export function convertKeys(source: PlainObject, readers: ReadonlyMap<string, KeyReader>): PlainObject {
  const server: PlainObject = {};
  for (const [key, value] of Object.entries(source)) {
    if (value === null) continue;
    const read = readers.get(key);
    if (read) read(value, server);
    else server[key] = value;
  }
  return server;
}

/** A reader that copies the value to another key. */
export function renameTo(key: string): KeyReader {
  return (value, server) => {
    server[key] = value;
  };
}

/** A reader that omits a key without a warning. */
export const omit: KeyReader = () => {};

export function mapOf(value: PlainData | undefined): PlainObject {
  return isPlainMap(value) ? value : {};
}

export function textsIn(value: PlainData | undefined): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Converts each server that is a map. Other values are reported by the check of the client format. */
export function convertEach(
  servers: PlainObject,
  convert: (name: string, server: PlainObject) => PlainObject,
): PlainObject {
  const entries = Object.entries(servers).map(([name, server]) => {
    return [name, isPlainMap(server) ? convert(name, server) : server] as const;
  });
  return Object.fromEntries(entries);
}

/** Readers for keys that have no equivalent in Toolwharf. They are collected for one warning per server. */
export function ignoreKeys(keys: readonly string[], ignored: string[]): [string, KeyReader][] {
  return keys.map((key) => [
    key,
    () => {
      ignored.push(key);
    },
  ]);
}

export function warnOfIgnored(label: string, ignored: readonly string[], warn: Warn): void {
  if (ignored.length > 0) warn(`${label}: not imported, because Toolwharf has no equivalent: ${ignored.join(', ')}`);
}

/** A server with a URL, in the format of MCP clients. */
export function remoteServer(type: string, url: string, headers: PlainObject): PlainObject {
  return { type, url, ...(Object.keys(headers).length > 0 && { headers }) };
}
