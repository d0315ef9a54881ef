import { ProtocolError } from '../../../contract/errors.ts';
import type { ReplyMeter } from '../request-host.ts';

/** Counts each chunk of a body in order; throws SERVER_PROTOCOL when the body grows too large. */
export type BodyMeter = (chunk: Uint8Array) => void;

/** Limits the size of a whole body. `reply` counts it too. */
export function createWholeMeter(maxBytes: number, reply?: ReplyMeter): BodyMeter {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge('answer', maxBytes);
    reply?.receive(chunk);
  };
}

const lineFeed = 10;
const carriageReturn = 13;

/** Limits the size of each event of an event stream; the stream itself may be endless. */
export function createEventMeter(maxBytes: number): BodyMeter {
  let bytes = 0;
  let emptyLine = true;
  let previous = 0;
  return (chunk) => {
    for (const byte of chunk) {
      bytes++;
      if (byte === lineFeed || byte === carriageReturn) {
        const endsSameLine = byte === lineFeed && previous === carriageReturn;
        // A blank line ends the event; the LF of a CR LF is not another line.
        if (endsSameLine ? bytes === 1 : emptyLine) bytes = 0;
        emptyLine = true;
      } else {
        emptyLine = false;
        if (bytes > maxBytes) throw tooLarge('event', maxBytes);
      }
      previous = byte;
    }
  };
}

/** The error for a body over its size limit. */
export function tooLarge(what: 'answer' | 'event', maxBytes: number): ProtocolError {
  const text = `The server sent an ${what} of more than ${maxBytes} bytes; it was not read to its end`;
  return new ProtocolError('SERVER_PROTOCOL', text, { data: { limitBytes: maxBytes, reached: true } });
}
