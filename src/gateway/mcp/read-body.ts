import type { IncomingMessage } from 'node:http';
import { RpcError, rpcCode } from './rpc.ts';

/** A request's body as JSON, parsed once. Too big or not JSON is an `RpcError` with its HTTP status. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts, bytes).toString('utf8'));
  } catch {
    throw new RpcError(rpcCode.parse, 'The body is not JSON', { httpStatus: 400 });
  }
}

function tooLarge(maxBytes: number): RpcError {
  return new RpcError(rpcCode.invalidRequest, `The body is larger than ${maxBytes} bytes`, { httpStatus: 413 });
}
