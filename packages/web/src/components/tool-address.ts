import { parseExactly } from '../../../contract/exact-json.ts';
import { isRecord } from './is-record.ts';

const storageKey = 'toolwharf.arguments';

// Servers and proxies reject longer URLs: longer arguments are stored in this tab.
const maxLength = 2_000;

/** The address of a tool. The page fills in the arguments. */
export function toolAddress(tool: string, args?: Readonly<Record<string, unknown>>): string {
  // The gateway takes a path with a dot for a file.
  const address = `/tools/${encodeURIComponent(tool).replaceAll('.', '%2E')}`;
  if (args === undefined) return address;
  const text = JSON.stringify(args);
  const encoded = encodeURIComponent(text);
  if (encoded.length <= maxLength) return `${address}?arguments=${encoded}`;
  sessionStorage.setItem(storageKey, text);
  return `${address}?arguments=stored`;
}

/** Reads the tool from a path made by `toolAddress`. */
export function readTool(pathname: string): string | undefined {
  const [, encoded] = /^\/tools\/([^/]+)$/.exec(pathname) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Reads the arguments from the search part of an address made by `toolAddress`. */
export function readArguments(search: string): Readonly<Record<string, unknown>> | undefined {
  const given = new URLSearchParams(search).get('arguments');
  const text = given === 'stored' ? sessionStorage.getItem(storageKey) : given;
  if (text === null) return undefined;
  try {
    const value = parseExactly(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
