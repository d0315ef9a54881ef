import type { Server, ServerTest } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';

/** "1 tool", "12 tools". */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

const transports = {
  stdio: 'stdio',
  http: 'Streamable HTTP',
  sse: 'HTTP with SSE',
  auto: 'HTTP or SSE',
  api: 'HTTP API',
} as const;

export function transportOf(transport: Server['transport']): string {
  return transports[transport];
}

type Spoken = Pick<ServerTest, 'transport' | 'era' | 'protocolVersion'>;

/** "Streamable HTTP, 2025-11-25 (legacy)", as far as it is known. With an API no version of MCP is spoken. */
export function protocolOf({ transport, era, protocolVersion }: Spoken): string {
  if (transport === 'api') return transportOf(transport);
  const version = protocolVersion === undefined ? undefined : safeText(protocolVersion, 50);
  const spoken = version !== undefined && era !== undefined ? `${version} (${era})` : version;
  return [transport && transportOf(transport), spoken].filter(Boolean).join(', ');
}

/** "12 tools, 3 resources, 1 prompt"; what was never read is left out. */
export function offersOf({ tools, resources, resourceTemplates, prompts }: Server['offers']): string {
  const lists = [
    tools && countOf(tools.count, 'tool'),
    resources && resources.count > 0 && countOf(resources.count, 'resource'),
    resourceTemplates && resourceTemplates.count > 0 && countOf(resourceTemplates.count, 'resource template'),
    prompts && prompts.count > 0 && countOf(prompts.count, 'prompt'),
  ];
  return lists.filter(Boolean).join(', ') || 'nothing';
}

/** What the server says it is: "Everything 2.0.0". */
export function serverInfoOf(info: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (!info) return undefined;
  const { title, name, version } = info;
  const words = [title ?? name, version].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? undefined : words.map((word) => safeText(word, 200)).join(' ');
}

/** What became of a server that was just stored. */
export function savedWords({ name, enabled, status, offers }: Server, verb: string): string {
  const shown = `'${safeText(name, 100)}'`;
  if (!enabled) return `${verb} ${shown}. It is disabled and stays unconnected.`;
  if (status.state === 'connected') return `${verb} ${shown}: it is connected and has ${offersOf(offers)}.`;
  return `${verb} ${shown}. It is not connected yet and is tried again by itself.`;
}
