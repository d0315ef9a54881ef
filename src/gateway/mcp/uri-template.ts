/** True if the URI matches the template (RFC 6570, as MCP servers use it). Runs in linear time. */
export function matchTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const [first = '', ...rest] = literals;
  if (rest.length === 0) return template === uri;
  if (!uri.startsWith(first)) return false;
  const last = rest[rest.length - 1] ?? '';
  let at = first.length;
  for (const literal of rest.slice(0, -1)) {
    const found = uri.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return uri.endsWith(last) && uri.length - last.length >= at;
}
