import { isHealthy } from '../../../../contract/connections.ts';
import type { ImportedServer, Server, ServerTest } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';

/** The label of each transport. */
export const transportLabels = {
  stdio: 'stdio',
  http: 'Streamable HTTP',
  sse: 'HTTP with SSE',
  auto: 'HTTP or SSE',
  api: 'HTTP API',
  plugin: 'Plugin',
} as const;

type SessionProtocol = Pick<ServerTest, 'transport' | 'era' | 'protocolVersion'>;

/** "Streamable HTTP, 2025-11-25 (legacy)". An HTTP API has no MCP version. */
export function describeProtocol({ transport, era, protocolVersion }: SessionProtocol): string {
  if (transport === 'api') return transportLabels[transport];
  const version = protocolVersion === undefined ? undefined : safeText(protocolVersion, 50);
  const versionAndEra = version !== undefined && era !== undefined ? `${version} (${era})` : version;
  return [transport && transportLabels[transport], versionAndEra].filter(Boolean).join(', ');
}

/** "12 tools, 3 resources, 1 prompt". Lists that were not loaded are left out. */
export function describeOffers({ tools, resources, resourceTemplates, prompts, skills }: Server['offers']): string {
  const lists = [
    tools && plural(tools.count, 'tool'),
    resources && resources.count > 0 && plural(resources.count, 'resource'),
    resourceTemplates && resourceTemplates.count > 0 && plural(resourceTemplates.count, 'resource template'),
    prompts && prompts.count > 0 && plural(prompts.count, 'prompt'),
    skills && skills.count > 0 && plural(skills.count, 'skill'),
  ];
  return lists.filter(Boolean).join(', ') || 'nothing';
}

/** The name and version that a server reports: "Everything 2.0.0". */
export function describeServerInfo(info: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (!info) return undefined;
  const { title, name, version } = info;
  const words = [title ?? name, version].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? undefined : words.map((word) => safeText(word, 200)).join(' ');
}

/** The message after a server was saved. */
export function describeSaved({ name, enabled, status, offers }: Server, verb: string): string {
  const shown = `'${safeText(name, 100)}'`;
  if (!enabled) return `${verb} ${shown}. It is disabled.`;
  if (isHealthy(status.state)) return `${verb} ${shown}. Connected with ${describeOffers(offers)}.`;
  return `${verb} ${shown}. Not connected yet; retrying automatically.`;
}

/** The command line or URL of an imported server, without secrets. */
export function describeTarget({ transport, command = '', args = [], url = '' }: ImportedServer): string {
  if (transport !== 'stdio') return url.replace(/\?.*$/s, '?…');
  return [command, ...args.map((arg) => (typeof arg === 'string' ? arg : '…'))].join(' ');
}

/** The number of secrets, without their values. */
export function describeSecrets({ env = {}, headers = {}, authentication, enabled = true }: ImportedServer): string {
  const variables = Object.keys(env).length;
  const lines = Object.keys(headers).length;
  return [
    variables > 0 && plural(variables, 'environment variable'),
    lines > 0 && plural(lines, 'header'),
    authentication && authentication.type !== 'none' && `${authentication.type} authentication`,
    !enabled && 'disabled',
  ]
    .filter(Boolean)
    .join(', ');
}
