import type { IncomingMessage } from 'node:http';
import { RpcError, rpcCode } from './rpc.ts';

/** A request's body as JSON, parsed once. Too big or not JSON is an `RpcError` with its HTTP status. */
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

// Listening costs a fraction of iterating, and nearly every body comes in one piece.
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
    // It comes after every request. An error is costly to make, so only where somebody gets it.
    request.on('close', () => {
      if (!isWhole) reject(goneAway());
    });
  });
}

/** Not ours, so nothing for the log. */
function goneAway(): RpcError {
  return new RpcError(rpcCode.invalidRequest, 'The client went away in the middle of its request', { httpStatus: 400 });
}

function tooLarge(maxBytes: number): RpcError {
  return new RpcError(rpcCode.invalidRequest, `The body is larger than ${maxBytes} bytes`, { httpStatus: 413 });
}
