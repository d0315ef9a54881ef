import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactMember, findDuplicate, jsonTextOf, parseJson, withText } from '../kernel/exact-json.ts';
import { snapshotJson } from '../kernel/snapshot-json.ts';
import { argumentBounds } from '../policy/argument-bounds.ts';

// Every item and member has more than a byte.
export const snapshotBounds = { maxDepth: argumentBounds.maxDepth, maxValues: argumentBounds.maxBytes };

/** Frozen arguments whose text is sent, with the name that occurs twice in the message, if any. */
const received = new WeakMap<object, string | undefined>();

/**
 * The arguments in a parsed message: frozen, with all digits of their numbers, and with the text that is sent if nothing changes them.
 * `holder` is the part of the message that has them.
 */
export function receiveArguments(message: JsonObject, holder = message, name = 'arguments'): unknown {
  const args = exactMember(holder, name);
  const text = jsonTextOf(args);
  const frozen = text === undefined ? undefined : snapshotJson(args, snapshotBounds);
  // Arguments beyond the bounds are refused later.
  if (!isObject(frozen)) return args;
  received.set(frozen, findDuplicate(jsonTextOf(message) ?? ''));
  return withText(frozen, text);
}

/** The arguments in a JSON text. Throws a SyntaxError if it is not JSON. */
export function receiveArgumentsText(text: string): unknown {
  JSON.parse(text);
  return receiveArguments(parseJson(`{"arguments":${text}}`) as JsonObject);
}

/** True for arguments that need no copy. Throws `ARGUMENTS_INVALID` if they can be read in two ways. */
export function areReceived(input: unknown, calledAs: string): input is JsonObject {
  if (!isObject(input) || !received.has(input)) return false;
  const duplicate = received.get(input);
  if (duplicate === undefined) return true;
  const message = `Invalid arguments for ${calledAs}: ${JSON.stringify(duplicate.slice(0, 100))} occurs twice in one object, and programs disagree about which of the values counts`;
  throw new ToolwharfError('ARGUMENTS_INVALID', message, {
    data: { rpcCode: -32602, rpcData: { code: 'ARGUMENTS_INVALID' } },
  });
}
