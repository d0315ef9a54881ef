import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { GatewayLimits } from '../../../../contract/settings/gateway-config.ts';
import { parseJson } from '../../../../toolwharf/kernel/exact-json.ts';
import { cheapMs, costMsOf, explainTooWide, isTooWide } from '../../../../toolwharf/kernel/json-work.ts';
import { createJsonScale, type JsonScale, type JsonWeight } from '../../../../toolwharf/kernel/weigh-json.ts';
import type { Reservation } from './quota.ts';

/** The limits of a body. */
export type BodyLimits = Pick<GatewayLimits, 'maxBodyBytes' | 'maxBodyDepth' | 'maxBodyMembers'>;

/** Resolves when a body that is expensive to process may be parsed. */
export type WaitForTurn = (costMs: number) => Promise<void>;

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
  limits: BodyLimits,
  reservation: Pick<Reservation, 'add'>,
  waitForTurn: WaitForTurn = async () => {},
): Promise<unknown> {
  const { maxBodyBytes: maxBytes } = limits;
  // Event listeners are much faster than async iteration, and most bodies arrive in one chunk.
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    let first: Buffer | undefined;
    let others: Buffer[] | undefined;
    let bytes = 0;
    let isOver = false;
    // A large body is weighed while it arrives, so that one with too many members is not received.
    const scale = declared > 0 && declared <= weighedAtOnce ? undefined : createJsonScale();

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
      if (bytes <= declared && !scale) return;
      try {
        if (bytes > declared) reservation.add(part.length);
        if (scale) addPart(scale, part, limits);
      } catch (cause) {
        refuse(cause);
      }
    });
    request.on('end', () => {
      if (isOver) return;
      isOver = true;
      try {
        const body = others ? Buffer.concat(others, bytes) : (first ?? empty);
        const costMs = costOf(body, scale ?? weighBody(body, limits), reservation);
        resolve(costMs < cheapMs ? parseBody(body) : waitForTurn(costMs).then(() => parseExpensive(body)));
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

const weighedAtOnce = 65_536;

/** Rejects a body that is nested too deeply or has too many members. Undefined for a body that is too short for either. */
function weighBody(body: Buffer, limits: BodyLimits): JsonWeight | undefined {
  if (body.length <= 2 * Math.min(limits.maxBodyDepth, limits.maxBodyMembers)) return undefined;
  const scale = createJsonScale();
  addPart(scale, body, limits);
  return scale;
}

function addPart(scale: JsonScale, part: Buffer, limits: BodyLimits): void {
  scale.add(part);
  assertWithin(scale, limits);
}

/** Counts the memory of the parsed body; returns the processor time that it may take. */
function costOf(body: Buffer, weight: JsonWeight | undefined, reservation: Pick<Reservation, 'add'>): number {
  if (!weight) return 0;
  reservation.add(weight.bytes - body.length);
  return costMsOf({ members: weight.members, values: weight.values, bytes: body.length });
}

function assertWithin(weight: JsonWeight, { maxBodyDepth, maxBodyMembers }: BodyLimits): void {
  if (weight.depth > maxBodyDepth) throw new InvalidBodyError(`is nested more than ${maxBodyDepth} levels deep`);
  if (isTooWide(weight, maxBodyMembers))
    throw new ToolwharfError('REQUEST_TOO_LARGE', explainTooWide('The body has', maxBodyMembers));
}

/**
 * Weighs a JSON text in a body before it is parsed, as if it were a part of the body. Rejects with `REQUEST_TOO_LARGE` and
 * `InvalidBodyError`.
 */
export async function weighText(text: string, limits: BodyLimits, waitForTurn: WaitForTurn): Promise<void> {
  const scale = createJsonScale();
  addPart(scale, Buffer.from(text), limits);
  const costMs = costMsOf({ members: scale.members, values: scale.values, bytes: text.length });
  if (costMs >= cheapMs) await waitForTurn(costMs);
}

/** Other requests are served between parsing a body and processing it. */
async function parseExpensive(body: Buffer): Promise<unknown> {
  const value = parseBody(body);
  await nextTurn();
  return value;
}

function parseBody(body: Buffer): unknown {
  try {
    if (!isUtf8(body)) throw new InvalidBodyError('is not UTF-8');
    return parseJson(body.toString('utf8'));
  } catch (cause) {
    throw cause instanceof InvalidBodyError ? cause : new InvalidBodyError('is not JSON');
  }
}

function disconnected(): ToolwharfError {
  return new ToolwharfError('CALL_CANCELLED', 'The client disconnected during its request');
}

function tooLarge(maxBytes: number): ToolwharfError {
  return new ToolwharfError('REQUEST_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
}
