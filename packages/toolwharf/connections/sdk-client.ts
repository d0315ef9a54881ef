import { Client, type ClientOptions, type Implementation } from '@modelcontextprotocol/client';

/**
 * A client of the SDK, for handshakes and subscriptions. Its validator of results, which takes longer to create than a handshake, is
 * replaced: `Channel` sends calls and requests for lists.
 */
export function createSdkClient(info: Implementation, options: Omit<ClientOptions, 'jsonSchemaValidator'>): Client {
  return new Client(info, { ...options, jsonSchemaValidator });
}

const jsonSchemaValidator = {
  getValidator(): never {
    throw new Error('The client of the SDK validates nothing: calls are sent by the channel');
  },
};
