/** A server that has no name yet: a program, or a URL. */
export type UnnamedServer = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

/** A name for a new server, made from its URL or command; empty if they have no usable part. */
export function suggestName(server: UnnamedServer, taken: readonly string[]): string {
  return freeName('url' in server ? nameFromUrl(server.url) : nameFromCommand(server.command, server.args), taken);
}

const commonParts = new Set([
  'www',
  'mcp',
  'api',
  'server',
  'com',
  'org',
  'net',
  'io',
  'dev',
  'app',
  'ai',
  'co',
  'uk',
  'eu',
  'de',
]);

function nameFromUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return '';
  const { hostname, port } = url;
  if (hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname)) return `local-${port === '' ? 'server' : port}`;
  const parts = hostname.split('.');
  return parts.find((part) => !commonParts.has(part)) ?? hostname;
}

/** The package of `npx -y @scope/server-name dir`, or the name of the program. */
function nameFromCommand(command: string, args: readonly string[]): string {
  const program = lastPart(command.trim());
  const isRunner = /^(?:npx|npm|bunx|pnpm|yarn|uvx|uv|pipx|node|python\d*|deno|docker|bun)(?:\.exe|\.cmd)?$/i.test(
    program,
  );
  const packageName = args.find((word) => !word.startsWith('-') && !['run', 'exec', 'dlx', 'x', 'tool'].includes(word));
  // The scope of `@scope/mcp` is more specific than its name.
  const scope = packageName?.match(/^@([^/]+)\/(?:mcp|server|mcp-server)(?:@|$)/)?.[1];
  return scope ?? stripAffixes(isRunner ? lastPart(packageName ?? '') : program);
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
}

function stripAffixes(name: string): string {
  const plain = name.replace(/@[^@]*$/, '').replace(/\.(?:m?js|ts|py|exe|cmd|sh)$/i, '');
  return plain.replace(/^(?:mcp-)?server-|^mcp-|-mcp(?:-server)?$|-server$/gi, '') || plain;
}

/** A short unused server name made from a text; empty if the text has no usable characters. */
export function freeName(found: string, taken: readonly string[]): string {
  const name = found
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  if (name === '' || !taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

/** A server name from a registry name: its last part, or the publisher if that part is generic. */
export function suggestRegistryName(name: string, taken: readonly string[]): string {
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  const publisher = parts.at(-2)?.split('.').at(-1) ?? '';
  const isCommon = /^(?:mcp|server|mcp-server)$/i.test(last);
  return freeName((isCommon && publisher) || last, taken) || freeName('server', taken);
}
