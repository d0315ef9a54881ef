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

/** The configuration snippet of each known client for a profile's endpoint, with the address that this request was sent to. */
export function describeClients(
  profile: string,
  { incoming: { headers, socket }, identity }: Pick<ApiRequest, 'incoming' | 'identity'>,
  { toolbox, gateway: { env, host, stdioProgram } }: ApiPorts,
): Clients {
  // The header can be forged, but it only affects the suggested URL.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const url = `${scheme}://${headers.host ?? 'localhost'}${endpointPath(profile)}`;
  const needsKey = toolbox.config.gateway.requireAuthentication || !isLoopback(host);
  // Paths of this machine are shown only to administrators on this machine.
  const isLocalAdmin = identity.isAdmin && isLoopback(socket.remoteAddress ?? '');
  const program: StdioProgram = (isLocalAdmin ? stdioProgram : undefined) ?? { command: 'toolwharf', args: ['stdio'] };
  return clientIds.map((id) => {
    const client = mcpClients[id];
    const file = client.file('user', { env, platform: process.platform, cwd: process.cwd() });
    const entry = { [client.key]: { [clientEntryName(profile)]: client.entry(setupFor(client.takesUrl)) } };
    return {
      id,
      name: client.title,
      file: isLocalAdmin ? file : undefined,
      snippet: JSON.stringify(entry, undefined, 2),
      language: 'json',
    };
  });

  function setupFor(takesUrl: boolean): ClientSetup {
    return takesUrl ? { kind: 'http', url, key: needsKey ? 'KEY' : undefined } : stdioSetup(program, profile);
  }
}
