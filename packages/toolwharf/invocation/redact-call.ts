import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { RequestHost } from '../connections/request-host.ts';
import type { Blocked, Detection, RedactCalls, Redacted, RedactedCall } from '../policy/redaction.ts';
import type { RunningCall } from './call.ts';
import type { ReadInput } from './check-start.ts';
import { toPluginCall } from './plugin-call.ts';
import { showArguments, snapshotArguments } from './prepare-arguments.ts';
import type { ResolvedReferences } from './references.ts';

/**
 * Redacts the arguments of a call before anybody sees them, and records the redacted ones. A problem is the reason why the call
 * cannot be made.
 */
export function redactInput(call: RunningCall, entry: CatalogEntry, read: ReadInput, redact: RedactCalls): ReadInput {
  const { extraParams } = call.record;
  call.record = { ...call.record, extraParams: undefined };
  try {
    if (extraParams) call.record = { ...call.record, extraParams: redactArguments(call, entry, extraParams, redact) };
    if (read.problem) return read;
    // Arguments beyond the bounds stay as they are: they are refused, and not recorded.
    const args = snapshotArguments(read.input, call.calledAs);
    if (!args) return read;
    const input = redactArguments(call, entry, args, redact);
    call.record = { ...call.record, arguments: showArguments(entry, input) };
    return { input };
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    return { input: {}, problem: cause };
  }
}

/** Redacts what a caller sends. Throws `CALL_DENIED` if it is blocked. */
export function redactArguments(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  redact: RedactCalls,
): JsonObject {
  const redacted = redact.now({ call: factsOf(call, entry), direction: 'arguments' }, args);
  addDetections(call, redacted.detections);
  if (!('blocked' in redacted)) return redacted.value;
  throw new ToolwharfError('CALL_DENIED', `The call to ${call.calledAs} was denied: ${redacted.blocked}`, {
    data: { tool: entry.name },
  });
}

/** Arguments as other people may see them, before they are redacted for the call. */
export function showRedacted(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  redact: RedactCalls | undefined,
): JsonObject {
  if (!redact) return args;
  try {
    const redacted = redact.now({ call: factsOf(call, entry), direction: 'arguments' }, args);
    return 'blocked' in redacted ? {} : redacted.value;
  } catch {
    // The plugin's failure is logged, and ends the call.
    return {};
  }
}

/** Redacts what a server sends. Rejects with `RESULT_BLOCKED` if the caller must not get it. */
export async function redactResult<Value extends object>(
  call: RunningCall,
  entry: CatalogEntry,
  result: Value,
  redact: RedactCalls,
): Promise<Value> {
  return settle(call, await redact.later({ call: factsOf(call, entry), direction: 'results' }, result));
}

/** Redacts what a model gets in a chat. Rejects with `CALL_DENIED` if the model must not get it. */
export async function redactForModel<Value extends object>(
  call: RedactedCall,
  value: Value,
  redact: RedactCalls | undefined,
): Promise<Value> {
  const redacted = await redact?.later({ call, direction: 'messages' }, value);
  if (redacted === undefined) return value;
  if (!('blocked' in redacted)) return redacted.value;
  throw new ToolwharfError('CALL_DENIED', `The messages were not sent to the model: ${redacted.blocked}`);
}

/** Redacts a message about a running call at once. Undefined if nobody must get it. */
export function redactMessage<Value extends object>(
  call: RunningCall,
  entry: CatalogEntry,
  message: Value,
  redact: RedactCalls | undefined,
): Value | undefined {
  if (!redact) return message;
  try {
    return settle(call, redact.now({ call: factsOf(call, entry), direction: 'results' }, message));
  } catch {
    // The plugin's failure is logged.
    return undefined;
  }
}

/**
 * Redacts a value that belongs to no call here, in both directions and as strictly as any profile does. Undefined if nobody must get it.
 */
export function redactLoose<Value extends object>(redact: RedactCalls | undefined, value: Value): Value | undefined {
  if (!redact) return value;
  let shown = value;
  try {
    for (const direction of ['arguments', 'results'] as const) {
      const redacted = redact.now({ direction }, shown);
      if ('blocked' in redacted) return undefined;
      shown = redacted.value;
    }
    return shown;
  } catch {
    // The plugin's failure is logged.
    return undefined;
  }
}

/** Asks a server's question without what the host must not see. The server gets the answer without what it must not see. */
export async function redactQuestion(
  call: RunningCall,
  entry: CatalogEntry,
  params: JsonObject,
  ask: (shown: JsonObject) => Promise<JsonObject>,
  redact: RedactCalls,
): Promise<JsonObject> {
  return redactAnswer(call, entry, await ask(await redactResult(call, entry, params, redact)), redact);
}

/** The answers of a client to questions that an earlier call returned, without what the server must not see. */
export async function redactAnswers(
  call: RunningCall,
  entry: CatalogEntry,
  input: RequestHost['input'],
  redact: RedactCalls,
): Promise<RequestHost['input']> {
  if (!input?.responses) return input;
  return { ...input, responses: await redactAnswer(call, entry, input.responses, redact) };
}

async function redactAnswer(
  call: RunningCall,
  entry: CatalogEntry,
  answer: JsonObject,
  redact: RedactCalls,
): Promise<JsonObject> {
  const values = redactArguments(call, entry, answer, redact);
  return canRestore(entry, redact) ? restore(call, entry, values, redact) : values;
}

/** The error of a call with a redacted message and data; the same error if nothing was detected in it. */
export async function redactError<Failure extends ToolwharfError>(
  call: RunningCall,
  entry: CatalogEntry,
  error: Failure,
  redact: RedactCalls,
): Promise<Failure | ToolwharfError> {
  const { code, message, data } = error;
  const content = { message, data };
  try {
    const redacted = await redactResult(call, entry, content, redact);
    return redacted === content ? error : new ToolwharfError(code, redacted.message, { data: redacted.data });
  } catch {
    return new ToolwharfError(code, 'The call failed, and the reason is withheld because of what it contains');
  }
}

/** Replaces masks by their values in the arguments that are sent; what people see keeps the masks. */
export async function restoreMasks(
  call: RunningCall,
  entry: CatalogEntry,
  resolved: ResolvedReferences,
  redact: RedactCalls,
): Promise<ResolvedReferences> {
  const values = await restore(call, entry, resolved.values, redact);
  if (values === resolved.values) return resolved;
  const restored = Object.keys(values).filter((name) => values[name] !== resolved.values[name]);
  return { ...resolved, values, restored };
}

async function restore(
  call: RunningCall,
  entry: CatalogEntry,
  values: JsonObject,
  redact: RedactCalls,
): Promise<JsonObject> {
  const restored = await redact.restore?.(factsOf(call, entry), values);
  addDetections(call, restored?.detections ?? []);
  return restored?.value ?? values;
}

function settle<Value>(call: RunningCall, redacted: Redacted<Value> | Blocked): Value {
  addDetections(call, redacted.detections);
  if (!('blocked' in redacted)) return redacted.value;
  throw new ToolwharfError('RESULT_BLOCKED', `The result of ${call.calledAs} was blocked: ${redacted.blocked}`);
}

function factsOf(call: RunningCall, entry: CatalogEntry): RedactedCall {
  const { arguments: _, ...facts } = toPluginCall(call, entry, {});
  return facts;
}

/** Adds up what was detected, so that the record has one entry for each rule, direction and action. */
function addDetections(call: RunningCall, added: readonly Detection[]): void {
  if (added.length === 0) return;
  const all = new Map<string, Detection>();
  for (const one of [...(call.record.redaction ?? []), ...added]) {
    const key = `${one.class} ${one.rule} ${one.direction} ${one.action}`;
    all.set(key, { ...one, count: one.count + (all.get(key)?.count ?? 0) });
  }
  call.record = { ...call.record, redaction: [...all.values()] };
}

/** Whether the arguments of a call can have masks that stand for values. Scripts pass them on to tools. */
export function canRestore(entry: CatalogEntry, redact: RedactCalls | undefined): redact is RedactCalls {
  return redact?.restore !== undefined && !entry.isBuiltIn && !entry.script;
}
