import type { z } from 'zod';
import { isLoopback } from '../auth/loopback.ts';
import {
  type ClientSetup,
  clientEntryName,
  clientIds,
  endpointPath,
  mcpClients,
  type StdioProgram,
  stdioSetup,
} from '../clients/mcp-clients.ts';
import type { ApiPorts, ApiRequest } from './route.ts';
import type { clientListSchema } from './schemas/settings.ts';

type Clients = z.input<typeof clientListSchema>['clients'];

/** What each known client's file must hold so that it finds a profile's endpoint of this gateway, at the address it was asked under. */
export function describeClients(
  profile: string,
  { incoming: { headers, socket }, identity }: Pick<ApiRequest, 'incoming' | 'identity'>,
  { toolbox, env, host, stdioProgram }: Pick<ApiPorts, 'toolbox' | 'env' | 'host' | 'stdioProgram'>,
): Clients {
  // What ends TLS in front of us says so, if it is set up well; here it only words a suggestion.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const url = `${scheme}://${headers.host ?? 'localhost'}${endpointPath(profile)}`;
  const needsKey = toolbox.config.gateway.requireAuthentication || !isLoopback(host);
  // Paths of this machine are for those who are on it, and may know how it is set up.
  const isHere = identity.isAdmin && isLoopback(socket.remoteAddress ?? '');
  const program: StdioProgram = (isHere ? stdioProgram : undefined) ?? { command: 'toolwharf', args: ['stdio'] };
  return clientIds.map((id) => {
    const client = mcpClients[id];
    const file = client.file('user', { env, platform: process.platform, cwd: process.cwd() });
    const entry = { [client.key]: { [clientEntryName(profile)]: client.entry(setupFor(client.takesUrl)) } };
    return {
      id,
      name: client.title,
      ...(isHere && file !== undefined && { file }),
      snippet: JSON.stringify(entry, undefined, 2),
      language: 'json',
    };
  });

  function setupFor(takesUrl: boolean): ClientSetup {
    return takesUrl ? { kind: 'http', url, ...(needsKey && { key: 'KEY' }) } : stdioSetup(program, profile);
  }
}
