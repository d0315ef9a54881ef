import type { IncomingMessage } from 'node:http';
import { RpcError, rpcCode } from './rpc.ts';

/** Reads and parses a JSON body. Throws an `RpcError` with an HTTP status if the body is too large or not JSON. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const body = await readBytes(request, maxBytes);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new RpcError(rpcCode.parse, 'The body is not JSON', { httpStatus: 400 });
  }
}

// Event listeners are much faster than async iteration, and most bodies arrive in one chunk.
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let isWhole = false;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      parts.push(part);
      if (bytes <= maxBytes) return;
      request.removeAllListeners('data').resume();
      reject(tooLarge(maxBytes));
    });
    request.on('end', () => {
      isWhole = true;
      resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, bytes));
    });
    request.on('error', () => reject(goneAway()));
    // `close` follows every request. Errors are expensive to create, so a complete request creates none.
    request.on('close', () => {
      if (!isWhole) reject(goneAway());
    });
  });
}

/** An `RpcError`, because those are not logged: a client disconnect is not a gateway failure. */
function goneAway(): RpcError {
  return new RpcError(rpcCode.invalidRequest, 'The client went away in the middle of its request', { httpStatus: 400 });
}

function tooLarge(maxBytes: number): RpcError {
  return new RpcError(rpcCode.invalidRequest, `The body is larger than ${maxBytes} bytes`, { httpStatus: 413 });
}
