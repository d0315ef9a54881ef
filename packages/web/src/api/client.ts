import { type Client, type ClientOptions, createClient } from '../../../contract/client.ts';
import { type ApiRoutes, operations } from '../../../contract/operations.ts';

export type * from '../../../contract/api-types.ts';
export { ApiError } from '../../../contract/client.ts';

/** The request did not reach the gateway, or its response was cut off. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Like `fetch`, but a failure of the network is a `NetworkError`: a `TypeError` can be any mistake of the app. */
export async function fetchFromGateway(...input: Parameters<typeof globalThis.fetch>): Promise<Response> {
  try {
    return await globalThis.fetch(...input);
  } catch (cause) {
    if (cause instanceof TypeError) throw new NetworkError(cause.message, { cause });
    throw cause;
  }
}

export type Api = Client<ApiRoutes>;

/** Creates one function per operation of the API, named like the operation. Error responses throw an `ApiError`. */
export function createApi({ fetch = fetchFromGateway, headers, ...options }: ClientOptions = {}): Api {
  return createClient<ApiRoutes>(operations, { ...options, fetch, headers: { 'x-toolwharf': 'app', ...headers } });
}

/** The API of the gateway that served this page. */
export const api = createApi();

/** Opens a session, kept in a cookie that scripts cannot read. */
export async function signIn(token: string): Promise<void> {
  await createApi({ headers: { authorization: `Bearer ${token}` } }).openSession();
}
