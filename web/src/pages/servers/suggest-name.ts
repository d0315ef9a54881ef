import { freeName } from './free-name.ts';
import type { ServerDraft } from './server-draft.ts';

/** A short name for a server that nobody has named yet, from where it is; empty while that says nothing. */
export function suggestName(
  draft: Pick<ServerDraft, 'transport' | 'url' | 'command' | 'args'>,
  taken: readonly string[],
): string {
  const found = draft.transport === 'stdio' ? fromProgram(draft) : fromAddress(draft.url);
  return freeName(found, taken);
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

function fromAddress(address: string): string {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return '';
  const { hostname, port } = url;
  if (hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname)) return `local-${port === '' ? 'server' : port}`;
  const parts = hostname.split('.');
  return parts.find((part) => !commonParts.has(part)) ?? hostname;
}

/** What is run: of `npx -y @scope/server-name dir` the package, of a plain program its own name. */
function fromProgram({ command, args }: Pick<ServerDraft, 'command' | 'args'>): string {
  const program = lastPart(command.trim());
  const isRunner = /^(?:npx|npm|bunx|pnpm|yarn|uvx|uv|pipx|node|python\d*|deno|docker|bun)(?:\.exe|\.cmd)?$/i.test(
    program,
  );
  const words = args.map(({ value }) => value).filter((value) => typeof value === 'string');
  const named = words.find((word) => !word.startsWith('-') && !['run', 'exec', 'dlx', 'x', 'tool'].includes(word));
  // Of `@scope/mcp` the scope says more than the name.
  const scope = named?.match(/^@([^/]+)\/(?:mcp|server|mcp-server)(?:@|$)/)?.[1];
  return scope ?? withoutAffixes(isRunner ? lastPart(named ?? '') : program);
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
}

function withoutAffixes(name: string): string {
  const plain = name.replace(/@[^@]*$/, '').replace(/\.(?:m?js|ts|py|exe|cmd|sh)$/i, '');
  return plain.replace(/^(?:mcp-)?server-|^mcp-|-mcp(?:-server)?$|-server$/gi, '') || plain;
}
