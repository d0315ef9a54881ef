import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import { isInexact } from '../kernel/decimal.ts';
import { isRawNumber } from '../kernel/exact-json.ts';

/** An argument that the tool's schema declares with `x-mcp-header`: modern HTTP servers expect it in a header too. */
export interface ParamHeader {
  readonly header: string;
  readonly path: readonly string[];
}

export type ParamHeaders =
  | { readonly ok: true; readonly headers: readonly ParamHeader[] }
  | { readonly ok: false; readonly reason: string };

const keyword = 'x-mcp-header';
const tokenSyntax = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const maxDepth = 64;

/** The headers that a tool's schema declares. An invalid declaration makes the tool unusable over modern HTTP. */
export function findParamHeaders(schema: JsonSchema): ParamHeaders {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  const problem = visit(schema, [], true, 0);
  return problem === undefined ? { ok: true, headers } : { ok: false, reason: problem };

  function visit(node: unknown, path: readonly string[], direct: boolean, depth: number): string | undefined {
    if (depth > maxDepth || typeof node !== 'object' || node === null) return undefined;
    if (Array.isArray(node)) return firstProblem(node, (item) => visit(item, path, false, depth + 1));
    const here = node as JsonObject;
    if (Object.hasOwn(here, keyword)) {
      const problem = declare(here, path, direct);
      if (problem) return problem;
    }
    return firstProblem(Object.entries(here), ([key, value]) => {
      // Examples, defaults and enumerations contain data, in which the keyword has no meaning.
      if (key === 'properties' && isObject(value)) {
        return firstProblem(Object.entries(value), ([name, child]) => visit(child, [...path, name], direct, depth + 1));
      }
      if (['default', 'const', 'enum', 'examples', keyword].includes(key)) return undefined;
      return visit(value, [...path, `<${key}>`], false, depth + 1);
    });
  }

  function declare(here: JsonObject, path: readonly string[], direct: boolean): string | undefined {
    const header = here[keyword];
    const at = path.join('.') || 'the schema itself';
    if (!direct || path.length === 0)
      return `${at}: ${keyword} may only be used on a property reached through "properties"`;
    if (typeof header !== 'string' || !tokenSyntax.test(header)) return `${at}: ${keyword} must be a valid header name`;
    if (!['string', 'integer', 'boolean'].includes(here.type as string)) {
      return `${at}: ${keyword} may only be used on a string, integer or boolean`;
    }
    if (names.has(header.toLowerCase())) return `${at}: ${keyword} ${header} is declared twice`;
    names.add(header.toLowerCase());
    headers.push({ header: `Mcp-Param-${header}`, path });
    return undefined;
  }
}

/** The headers of one call. An absent or null argument has no header. */
export function toParamHeaders(declared: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of declared) {
    const value = path.reduce<unknown>(
      (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
      args,
    );
    const text = toText(value);
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (isRawNumber(value)) return isInexact(value) ? undefined : toText(Number(value.rawJSON));
  if (
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (!Number.isInteger(value) || Number.isSafeInteger(value))
  ) {
    return String(value);
  }
  return undefined;
}

/** A header value: plain text where possible, otherwise base64 in MCP's notation. */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

function firstProblem<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
