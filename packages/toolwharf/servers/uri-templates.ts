/** One part of a URI template: a text, or an expression that stands for any text, with or without `/`. */
type Part = { readonly text: string } | { readonly spansPaths: boolean };

const parsed = new Map<string, readonly Part[]>();
const maxParsed = 10_000;
// Matching takes time in proportion to both.
const maxExpressions = 8;
const maxUriLength = 8_192;

/**
 * True if the URI matches the template (RFC 6570, as MCP servers use it): `{name}` stands for one segment of a path, and `{+path}`,
 * `{/path}`, `{?query}`, `{#fragment}` and `{name*}` for any text. If `loosely`, every expression stands for any text.
 */
export function matchTemplate(template: string, uri: string, loosely = false): boolean {
  const parts = partsOf(template);
  const [first, last] = [parts[0], parts.at(-1)];
  if (first && 'text' in first && !uri.startsWith(first.text)) return false;
  if (last && 'text' in last && !uri.endsWith(last.text)) return false;
  if (parts.length > 2 * maxExpressions + 1 || uri.length > maxUriLength) return false;
  // Marks the positions in the URI at which the parts so far can end.
  let ends = new Uint8Array(uri.length + 1);
  ends[0] = 1;
  for (const part of parts)
    ends = 'text' in part ? afterText(uri, part.text, ends) : afterExpression(uri, loosely || part.spansPaths, ends);
  return ends[uri.length] === 1;
}

/**
 * True for a template that names no more than a scheme before an expression that spans paths, such as `lab://{+path}` and
 * `lab://{a}/{+path}`: it matches URIs of all servers.
 */
export function isBroadTemplate(template: string): boolean {
  const parts = partsOf(template);
  const [first] = parts;
  if (first === undefined || !('text' in first)) return true;
  const spanning = parts.findIndex((part) => 'spansPaths' in part && part.spansPaths);
  const literals = parts.slice(0, Math.max(spanning, 0)).map((part) => ('text' in part ? part.text : ''));
  return spanning !== -1 && !/^[a-z][a-z0-9+.-]*:\/*[^/]/i.test(literals.join(''));
}

/** True for a template that names nothing after its scheme before an expression, such as `lab://{path}`. */
export function namesOnlyScheme(template: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/*\{/i.test(template);
}

/** The scheme that a template names, in lower case; undefined if an expression is a part of it. */
export function schemeOf(template: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(template)?.[1]?.toLowerCase();
}

function partsOf(template: string): readonly Part[] {
  const known = parsed.get(template);
  if (known) return known;
  const parts = template
    .split(/(\{[^{}]*\})/)
    .filter((text) => text !== '')
    .map((text): Part => (/^\{.*\}$/s.test(text) ? { spansPaths: /^\{[+#/.;?&]|\*\}$/.test(text) } : { text }));
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(template, parts);
  return parts;
}

function afterText(uri: string, text: string, starts: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const ends = new Uint8Array(starts.length);
  for (let at = uri.indexOf(text); at !== -1; at = uri.indexOf(text, at + 1))
    if (starts[at]) ends[at + text.length] = 1;
  return ends;
}

/** An expression may be empty. */
function afterExpression(uri: string, spansPaths: boolean, starts: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const ends = new Uint8Array(starts.length);
  let isInside = false;
  for (let at = 0; at <= uri.length; at++) {
    if (!spansPaths && at > 0 && uri[at - 1] === '/') isInside = false;
    if (starts[at]) isInside = true;
    if (isInside) ends[at] = 1;
  }
  return ends;
}
