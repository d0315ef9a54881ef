import { InMemoryTransport, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client';
import { lazy } from '../../contract/lazy.ts';
import { createSdkClient } from './sdk-client.ts';

const party = { name: 'toolwharf', version: '0' };
const result = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: { tools: {} }, serverInfo: party };

/**
 * Performs a legacy handshake in memory, once. In the first handshake of an era the SDK creates its schemas and zod compiles them, which
 * takes longer than the handshake itself. While a server's program starts, there is time for it.
 */
export const rehearseLegacyHandshake = lazy(async (): Promise<void> => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  theirs.onmessage = (message) => {
    if ('method' in message && 'id' in message) void theirs.send({ jsonrpc: '2.0', id: message.id, result });
  };
  const client = createSdkClient(party, { capabilities: {} });
  await theirs.start();
  await client.connect(ours);
  await client.close();
});
