import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Reservation } from './quota.ts';
import { weighJson } from './weigh-json.ts';

export interface BodyOptions {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Grows with the body while it is read and parsed. */
  readonly reservation: Pick<Reservation, 'add'>;
}

/** A body that is not JSON or nested too deeply. */
export class InvalidBodyError extends ToolwharfError {
  /** The problem, as the end of a sentence about the body. */
  readonly problem: string;

  constructor(problem: string) {
    super('REQUEST_INVALID', `The body ${problem}`);
    this.problem = problem;
  }
}

/**
 * Reads and parses a JSON body. Throws `REQUEST_TOO_LARGE`, `InvalidBodyError`, and `CALL_CANCELLED` if the client disconnects.
 */
export async function readJsonBody(request: IncomingMessage, options: BodyOptions): Promise<unknown> {
  const { maxDepth, reservation } = options;
  const body = await readBytes(request, options);
  // A shorter text cannot be nested that deeply.
  if (body.length > 2 * maxDepth) {
    const { depth, bytes } = weighJson(body);
    if (depth > maxDepth) throw new InvalidBodyError(`is nested more than ${maxDepth} levels deep`);
    reservation.add(bytes - body.length);
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new InvalidBodyError('is not JSON');
  }
}

// Event listeners are much faster than async iteration, and most bodies arrive in one chunk.
function readBytes(request: IncomingMessage, { maxBytes, reservation }: BodyOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    const parts: Buffer[] = [];
    let bytes = 0;
    let isWhole = false;

    function refuse(cause: unknown): void {
      request.removeAllListeners('data').resume();
      parts.length = 0;
      reject(cause);
    }

    if (declared > maxBytes) return refuse(tooLarge(maxBytes));
    try {
      reservation.add(declared);
    } catch (cause) {
      return refuse(cause);
    }
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > maxBytes) return refuse(tooLarge(maxBytes));
      parts.push(part);
      if (bytes <= declared) return;
      try {
        reservation.add(part.length);
      } catch (cause) {
        refuse(cause);
      }
    });
    request.on('end', () => {
      isWhole = true;
      resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, bytes));
    });
    request.on('error', () => reject(disconnected()));
    // `close` follows every request. Errors are expensive to create, so a complete request creates none.
    request.on('close', () => {
      if (!isWhole) reject(disconnected());
    });
  });
}

function disconnected(): ToolwharfError {
  return new ToolwharfError('CALL_CANCELLED', 'The client disconnected during its request');
}

function tooLarge(maxBytes: number): ToolwharfError {
  return new ToolwharfError('REQUEST_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
}
