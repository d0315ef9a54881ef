import { toToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { isAdministration, type Right } from '../../../contract/rights.ts';
import { administrationTool, type CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { type Journal, writeRecord } from '../../../toolwharf/invocation/journal.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';

/** An act of administration: who does what to which resource. */
export interface AdministrativeAct {
  /** The operation, such as `createKey`. */
  readonly operation: string;
  readonly caller: Caller;
  /** The subject of the act, without secrets. */
  readonly details: JsonObject;
}

export interface ActPorts {
  readonly storage: { readonly journal: Pick<Journal, 'write'> };
  readonly log: Log;
}

/** Records an act in the journal, before it is carried out and with its outcome. Without a journal it is not carried out. */
export async function recordAct<Result>(
  { operation, caller, details }: AdministrativeAct,
  { storage: { journal }, log }: ActPorts,
  run: () => Promise<Result>,
): Promise<Result> {
  const startedAt = new Date().toISOString();
  const record: CallRecord = {
    id: createId(),
    kind: 'administration',
    tool: administrationTool,
    originalName: operation,
    caller,
    arguments: details,
    definitionHash: '',
    status: 'running',
    createdAt: startedAt,
    startedAt,
  };
  const end = (ending: Partial<CallRecord>) =>
    writeRecord({ ...record, ...ending, completedAt: new Date().toISOString() }, 'after', { journal, log });
  try {
    // If this fails, the record may have been stored nevertheless, so it is ended too.
    await writeRecord(record, 'before', { journal, log });
    const result = await run();
    const id = isObject(result) && typeof result.id === 'string' ? result.id : undefined;
    await end({ status: 'success', result: id === undefined ? undefined : { id } });
    return result;
  } catch (cause) {
    const { code, message } = toToolwharfError(cause);
    await end({ status: 'error', end: code === 'FORBIDDEN' ? 'denied' : 'failed', error: { code, message } });
    throw cause;
  }
}

/** The details of a request that is recorded; undefined for other requests. */
export function actDetails(
  route: { readonly recorded?: boolean | 'params'; readonly right: Right; readonly method: string },
  { params, body }: { readonly params: unknown; readonly body: unknown },
): JsonObject | undefined {
  const changes = isAdministration(route.right) && route.method !== 'get';
  if (route.recorded === 'params' ? !changes : !(route.recorded ?? changes)) return undefined;
  const facts = isObject(body) && route.recorded !== 'params' ? body : {};
  const known = detailMembers.filter((name) => facts[name] !== undefined).map((name) => [name, facts[name]]);
  return { ...(params as JsonObject | undefined), ...Object.fromEntries(known) };
}

/** The members of request bodies that describe the subject of an act. None of them can contain a secret. */
const detailMembers = [
  ...['name', 'title', 'kind', 'transport', 'command', 'enabled', 'profile', 'rights', 'definitionHash'],
  ...['permissions', 'description', 'role', 'minutes', 'expiresInDays'],
  ...['server', 'label', 'isDefault'],
  ...['id', 'when', 'then', 'mode'],
  ...['answer', 'scope', 'audience', 'matching', 'reason', 'toolApproval', 'trustedTools'],
  ...[
    'servers',
    'allow',
    'deny',
    'resources',
    'prompts',
    'naming',
    'expose',
    'exposeBudget',
    'alwaysList',
    'newTools',
    'maxInlineResultBytes',
    'approval',
    'description',
    'tools',
  ],
];
