import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ApprovalConfig } from '../../contract/settings/config.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Caller } from '../kernel/tool.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { abortable } from '../kernel/wait.ts';
import { type Decision, decideByStore } from '../policy/decide.ts';
import type { RedactCalls } from '../policy/redaction.ts';
import type { ChangeArguments, Objection, Person, ReserveCall, ReviewCall, ReviewedCall } from '../policy/review.ts';
import { type ApprovalPorts, askApproval } from './ask-approval.ts';
import type { RunningCall } from './call.ts';
import { addChanges, addRules, toPluginCall } from './plugin-call.ts';
import {
  assertNoMasks,
  awaitConversion,
  conformArguments,
  needsResolving,
  type PreparedArguments,
  type PreparePorts,
  prepareArguments,
  prepareResolved,
  restoreSecrets,
  showArguments,
  snapshotArguments,
  validateArguments,
} from './prepare-arguments.ts';
import type { MayRead } from './read-target.ts';
import { canRestore, redactArguments, showRedacted } from './redact-call.ts';
import type { ResolvedReferences } from './references.ts';

/** The permissions of a caller. */
export interface CallPolicy {
  readonly approval: ApprovalConfig;
  /** The name of the profile whose permissions these are. */
  readonly profile?: string;
  /** The tools that the caller may use, also from within a chain; all if undefined. */
  readonly mayUse?: (tool: CatalogEntry) => boolean;
  /** The permissions for a tool that the call uses itself, if it is a chain or a script; the same by default. */
  readonly forStep?: (tool: CatalogEntry) => CallPolicy;
  /** The resources, prompts and skills that the caller may read; all if undefined. */
  readonly mayRead?: MayRead;
}

export interface AuthorizePorts extends ApprovalPorts, PreparePorts {
  readonly catalog: Pick<Catalog, 'find'>;
  /** The address of a server as it is connected now. */
  readonly addressOf: (server: string) => string | undefined;
  /** Replaces the references in the arguments of a call by their values. */
  readonly resolve: (call: RunningCall, entry: CatalogEntry, args: JsonObject) => Promise<ResolvedReferences>;
  /** The review by plugins; undefined if none reviews. */
  readonly review?: () => ReviewCall | undefined;
  /** The reservation by plugins; undefined if none reserves. */
  readonly reserve?: () => ReserveCall | undefined;
  /** The person behind a caller, for reviews; undefined if nobody knows. */
  readonly findPerson?: (caller: Caller) => Promise<Person | undefined>;
  /** The redaction by plugins; undefined if none redacts. */
  readonly redact?: () => RedactCalls | undefined;
  /** The change of arguments by plugins; undefined if none changes them. */
  readonly change?: () => ChangeArguments | undefined;
}

/** Permission to run one call: this definition of the tool, or this version of what is read, with these arguments. */
export interface Authorization {
  readonly entry: CatalogEntry;
  readonly args: PreparedArguments;
  /** The tool that a person approved for this call; undefined if no approval was needed. */
  readonly approved?: ApprovedTool;
  /** The rules of plugins that the person was told. */
  readonly approvedRules?: readonly string[];
  /** The id of the rule that allowed the call. */
  readonly rule?: string;
}

/** What an approval for one call is bound to, besides the arguments. */
type ApprovedTool = Pick<CatalogEntry, 'definitionHash' | 'serverAddress'>;

/**
 * Prepares the arguments, decides, validates, and asks for approval if the policy requires it. Throws or rejects unless the call
 * may run. Most calls are allowed at once, without waiting for anything.
 */
export function authorize(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Authorization | Promise<Authorization> {
  const args = snapshotArguments(input, call.calledAs);
  if (args) assertNoMasks(entry, args, call.calledAs, call.isResumed || call.isContinued);
  if (!args || needsResolving(entry, args) || ports.change?.() || canRestore(entry, ports.redact?.()))
    return authorizeResolved(call, entry, args ?? input, policy, ports);
  const turn = awaitConversion(entry, args, call.caller.id, ports);
  if (turn) return turn.then(() => authorizePrepared(call, entry, prepareArguments(entry, args, ports), policy, ports));
  return authorizePrepared(call, entry, prepareArguments(entry, args, ports), policy, ports);
}

/** Changes arguments and resolves references only for a call that is not denied whatever they are. */
async function authorizeResolved(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Promise<Authorization> {
  await decideCall(call, entry, undefined, policy, ports);
  const changed = await changeArguments(call, entry, input, ports);
  return authorizePrepared(call, entry, await prepareCall(call, entry, changed, ports), policy, ports);
}

/**
 * The arguments as plugins change them. The journal has those of a call that is continued as they were changed, and what a person
 * edited is sent as it is.
 */
async function changeArguments(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  ports: AuthorizePorts,
): Promise<unknown> {
  const change = ports.change?.();
  if (!change || !isObject(input) || entry.isBuiltIn || call.read || call.isResumed || call.isContinued) return input;
  const changed = await abortable(change(toPluginCall(call, entry, input)), call.aborting);
  addChanges(call, 'arguments', changed);
  return changed.value;
}

/** Authorizes a call again whose tool changed while it waited. References are not resolved a second time. */
export function authorizeAgain(
  call: RunningCall,
  entry: CatalogEntry,
  args: PreparedArguments,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Authorization | Promise<Authorization> {
  return authorizePrepared(call, entry, conformArguments(entry, args, ports), policy, ports);
}

/** Prepares the arguments that a caller or an approver gave. */
async function prepareCall(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  ports: AuthorizePorts,
): Promise<PreparedArguments> {
  const { calledAs } = call;
  const args = snapshotArguments(input, calledAs);
  if (args && (needsResolving(entry, args) || canRestore(entry, ports.redact?.()))) {
    const resolved = await ports.resolve(call, entry, args);
    await awaitConversion(entry, resolved.values, call.caller.id, ports);
    return prepareResolved(entry, resolved, ports);
  }
  if (args) {
    await awaitConversion(entry, args, call.caller.id, ports);
    return prepareArguments(entry, args, ports);
  }
  await validateArguments(entry, input, calledAs, ports);
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${calledAs}: expected an object`);
}

function authorizePrepared(
  call: RunningCall,
  entry: CatalogEntry,
  args: PreparedArguments,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Authorization | Promise<Authorization> {
  call.record = { ...call.record, arguments: args.shown };
  const decision = decideCall(call, entry, args, policy, ports);
  if (decision instanceof Promise || decision.kind !== 'allow' || call.isResumed || ports.review?.())
    return authorizeLater(call, entry, args, policy, decision, ports);
  const { rule } = decision;
  const validating = validate(call, entry, args, ports);
  return validating ? validating.then(() => ({ entry, args, rule })) : { entry, args, rule };
}

async function authorizeLater(
  call: RunningCall,
  entry: CatalogEntry,
  args: PreparedArguments,
  policy: CallPolicy,
  deciding: AllowOrAsk | Promise<AllowOrAsk>,
  ports: AuthorizePorts,
): Promise<Authorization> {
  const decision = await deciding;
  await validate(call, entry, args, ports);
  const review = ports.review?.();
  const objection = review && (await reviewCall(review, call, entry, args, decision, ports));
  // The approval of a resumed call may have been used for a call that its client repeated.
  if (decision.kind === 'allow' && !objection && !call.isResumed) return { entry, args, rule: decision.rule };
  // A script that goes on was approved when it began, with the same definition and arguments.
  if (call.isContinued && call.record.startedAt !== undefined) return { entry, args, approved: entry };
  const { reason: why = 'the call waited for approval before' } =
    decision.kind === 'ask' ? (call.read ?? decision) : {};
  const reason = objection?.reason ?? why;
  const question = {
    entry,
    args: args.shown,
    hidden: args.shown === args.referenced ? undefined : args.values,
    show: (edited: JsonObject) => showArguments(entry, showRedacted(call, entry, edited, ports.redact?.())),
    reason,
    policy: objection?.by,
    policyRules: objection?.rules,
    flows: objection?.flows,
    approval: policy.approval,
  };
  const answered = await askApproval(call, question, ports);
  const approval = { approved: entry, approvedRules: objection?.rules };
  if (answered === args.shown) return { entry, args, ...approval };
  // `reauthorize` judges the edited arguments, like those of every call that waited.
  const edit = snapshotArguments(answered, call.calledAs);
  const restored = edit && restoreSecrets(edit, args, call.calledAs);
  const redact = ports.redact?.();
  const redacted = restored && redact ? redactArguments(call, entry, restored, redact) : restored;
  const edited = await prepareCall(call, entry, redacted ?? answered, ports);
  await validate(call, entry, edited, ports);
  call.record = { ...call.record, arguments: edited.shown };
  return { entry, args: edited, ...approval };
}

/**
 * Checks an authorization again after the call has waited: the tool, its server, its pin, the rules, the profile and the caller's
 * key may have changed. Undefined if the call needs a new approval.
 */
export async function reauthorize(
  call: RunningCall,
  { entry: before, args: judged, approved, approvedRules }: Authorization,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Promise<Authorization | undefined> {
  const entry = findCurrent(call, before, ports);
  const isSame = entry.definitionHash === before.definitionHash;
  const args = isSame ? judged : conformArguments(entry, judged, ports);
  const decision = await decideCall(call, entry, args, policy, ports);
  const review = ports.review?.();
  const objection = review && (await reviewCall(review, call, entry, args, decision, ports));
  const mustAsk = decision.kind === 'ask' || objection !== undefined;
  if (mustAsk && !(approved && isApproved(entry, approved, ports))) return undefined;
  if (!isSame) await validate(call, entry, args, ports);
  return { entry, args, approved, approvedRules, rule: decision.kind === 'allow' ? decision.rule : undefined };
}

/** Whether a person approved this definition on this server. The server can move before its tools are listed again. */
function isApproved(
  { definitionHash, server, serverAddress }: CatalogEntry,
  approved: ApprovedTool,
  { addressOf }: AuthorizePorts,
): boolean {
  const address = (server === undefined ? undefined : addressOf(server)) ?? serverAddress;
  return approved.definitionHash === definitionHash && approved.serverAddress === address;
}

/** The current entry of the same tool, or of what the call reads. */
function findCurrent(
  { calledAs, read }: RunningCall,
  before: CatalogEntry,
  { catalog }: Pick<AuthorizePorts, 'catalog'>,
): CatalogEntry {
  if (read) return read.current();
  const entry = before.isBuiltIn ? before : catalog.find(toolIdOf(before));
  if (entry) return entry;
  throw new ToolwharfError('TOOL_CHANGED', `${calledAs} was removed while the call was waiting`);
}

type AllowOrAsk = Exclude<Decision, { kind: 'deny' }>;

function decideCall(
  call: RunningCall,
  entry: CatalogEntry,
  prepared: PreparedArguments | undefined,
  policy: CallPolicy,
  { rules }: AuthorizePorts,
): AllowOrAsk | Promise<AllowOrAsk> {
  if (entry.isBuiltIn) return { kind: 'allow', because: 'the calls that it makes are authorized' };
  const { read } = call;
  const { values: args, hidden } = prepared ?? {};
  if (read && args) read.assertReadable(args, policy.mayRead);
  const approval = read ? read.approvalFor(policy.approval) : policy.approval;
  const hasExtraParams = call.record.extraParams !== undefined;
  const decision = decideByStore({ tool: entry, approval, caller: call.caller, args, hidden, hasExtraParams }, rules);
  if (decision instanceof Promise) return decision.then((late) => assertAllowed(late, call, entry, policy));
  return assertAllowed(decision, call, entry, policy);
}

/** The decision, unless it denies the call or the caller may not use the tool. */
function assertAllowed(
  decision: Decision,
  { calledAs, read }: RunningCall,
  entry: CatalogEntry,
  { mayUse }: CallPolicy,
): AllowOrAsk {
  if (decision.kind !== 'deny') {
    if (read || !mayUse || mayUse(entry)) return decision;
    throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${calledAs}`);
  }
  const code = entry.changed === 'quarantine' ? 'TOOL_CHANGED' : 'CALL_DENIED';
  throw new ToolwharfError(code, `The call to ${calledAs} was denied: ${decision.reason}`);
}

/** The approval that plugins require; rejects if they deny the call. */
async function reviewCall(
  review: ReviewCall,
  call: RunningCall,
  entry: CatalogEntry,
  { values }: PreparedArguments,
  decision: Pick<Decision, 'kind'>,
  { findPerson }: AuthorizePorts,
): Promise<Objection | undefined> {
  // The calls that a built-in tool makes are reviewed.
  if (entry.isBuiltIn) return undefined;
  const reviewed = await toReviewed(call, entry, values, decision.kind === 'ask', findPerson);
  const { objection, labels, rules, sources, contextLabels } = await review(reviewed);
  addChanges(call, 'arguments', { labels });
  addRules(call, { rules });
  if (sources || contextLabels) call.record = { ...call.record, sources, contextLabels };
  if (objection?.kind === 'deny') throw toDenial(call, entry, objection);
  return objection;
}

/** Reserves what a call consumes, and keeps that until the call ends. Resolves with the objection of a call that needs approval first. */
export async function reserveCall(
  reserve: ReserveCall,
  call: RunningCall,
  { entry, args, approved, approvedRules = [] }: Authorization,
  { findPerson }: Pick<AuthorizePorts, 'findPerson'>,
): Promise<Objection | undefined> {
  const reviewed = await toReviewed(call, entry, args.values, approved !== undefined, findPerson);
  const reserving = reserve({ ...reviewed, approvedRules, createdAt: call.record.createdAt });
  const reservation = await abortable(reserving, call.aborting).catch((cause) => {
    // The call was cancelled meanwhile.
    reserving.then(({ settle }) => settle({ outcome: 'unsent', ranMs: 0 })).catch(() => {});
    throw cause;
  });
  addRules(call, reservation);
  const { objection } = reservation;
  if (!objection) {
    call.reservation = reservation;
    return undefined;
  }
  // Nobody is asked about a tool that only makes other calls.
  if (objection.kind === 'deny' || entry.isBuiltIn) throw toDenial(call, entry, objection);
  return objection;
}

/** The error of a call that a plugin denies. */
export function toDenial(
  { calledAs }: RunningCall,
  { name: tool }: CatalogEntry,
  { reason, by, rules: policyRules, limit }: Objection,
): ToolwharfError {
  const data = { tool, policy: by, ...(policyRules && { policyRules }), ...limit };
  const message = `The call to ${calledAs} was denied: ${reason}`;
  return new ToolwharfError(limit ? 'LIMIT_REACHED' : 'CALL_DENIED', message, { data });
}

async function toReviewed(
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  isAsked: boolean,
  findPerson: AuthorizePorts['findPerson'],
): Promise<ReviewedCall> {
  const person = await findPerson?.(call.caller);
  const isScript = entry.script !== undefined || entry.local?.composed === true;
  return { ...toPluginCall(call, entry, args), isScript, person, decision: isAsked ? 'ask' : 'allow' };
}

function validate(
  { calledAs }: RunningCall,
  entry: CatalogEntry,
  args: PreparedArguments,
  ports: AuthorizePorts,
): undefined | Promise<undefined> {
  return validateArguments(entry, args.values, calledAs, ports, args);
}
