import type { IncomingMessage } from 'node:http';
import type { GatewayLimits } from '../../config/gateway-config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Reservation } from './quota.ts';
import { weighJson } from './weigh-json.ts';

/** The limits of a body. */
export type BodyLimits = Pick<GatewayLimits, 'maxBodyBytes' | 'maxBodyDepth'>;

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
 * Reads and parses a JSON body. The reservation grows with the body. Rejects with `REQUEST_TOO_LARGE`, `InvalidBodyError`, and
 * `CALL_CANCELLED` if the client disconnects.
 */
export function readJsonBody(
  request: IncomingMessage,
  { maxBodyBytes: maxBytes, maxBodyDepth: maxDepth }: BodyLimits,
  reservation: Pick<Reservation, 'add'>,
): Promise<unknown> {
  // Event listeners are much faster than async iteration, and most bodies arrive in one chunk.
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    let first: Buffer | undefined;
    let others: Buffer[] | undefined;
    let bytes = 0;
    let isOver = false;

    function refuse(cause: unknown): void {
      isOver = true;
      request.removeAllListeners('data').resume();
      first = undefined;
      others = undefined;
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
      if (!first) first = part;
      else if (others) others.push(part);
      else others = [first, part];
      if (bytes <= declared) return;
      try {
        reservation.add(part.length);
      } catch (cause) {
        refuse(cause);
      }
    });
    request.on('end', () => {
      if (isOver) return;
      isOver = true;
      try {
        resolve(parseBody(others ? Buffer.concat(others, bytes) : (first ?? empty), maxDepth, reservation));
      } catch (cause) {
        reject(cause);
      }
    });
    // Follows every request, and every error. Errors are expensive to create, so a complete request creates none.
    request.on('close', () => {
      if (!isOver) reject(disconnected());
    });
  });
}

const empty = Buffer.alloc(0);

function parseBody(body: Buffer, maxDepth: number, reservation: Pick<Reservation, 'add'>): unknown {
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

function disconnected(): ToolwharfError {
  return new ToolwharfError('CALL_CANCELLED', 'The client disconnected during its request');
}

function tooLarge(maxBytes: number): ToolwharfError {
  return new ToolwharfError('REQUEST_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
}
