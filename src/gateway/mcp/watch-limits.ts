import { RpcError, rpcCode } from './rpc.ts';

/** How many resources one session or subscription can watch. */
export const maxWatchedUris = 1_000;
const maxUriLength = 8_192;

/** Throws an `RpcError` for a URI that is too long to be kept until its subscription ends. */
export function assertWatchable(uri: string): void {
  if (uri.length <= maxUriLength) return;
  throw new RpcError(rpcCode.invalidParams, `The URI of a subscription can have ${maxUriLength} characters at most`);
}
