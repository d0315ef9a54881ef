import {
  type AddClientAuthentication,
  type OAuthClientInformationMixed,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';

/**
 * Identifies a client at an authorization server. The id is in the body also beside basic authentication, which the servers of the Python
 * SDK require and others allow.
 */
export function authenticateClient(
  client: OAuthClientInformationMixed,
  methods: readonly string[],
  headers: Headers,
  params: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret } = client;
  const method = selectClientAuthMethod(client, [...methods]);
  params.set('client_id', id);
  if (secret === undefined) return;
  if (method === 'client_secret_basic') headers.set('authorization', `Basic ${btoa(`${id}:${secret}`)}`);
  if (method === 'client_secret_post') params.set('client_secret', secret);
}

/** Identifies a client at the token endpoint. */
export function tokenAuthentication(client: OAuthClientInformationMixed): AddClientAuthentication {
  return (headers, params, _url, metadata) =>
    authenticateClient(client, metadata?.token_endpoint_auth_methods_supported ?? [], headers, params);
}
