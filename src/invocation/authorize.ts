import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { ArgumentValidation } from '../config/choices.ts';
import type { ApprovalConfig } from '../config/config.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { coerceArguments } from '../policy/coerce-arguments.ts';
import { type Decision, decideByStore } from '../policy/decide.ts';
import type { LazyArgumentsChecker } from '../policy/lazy-arguments-checker.ts';
import type { Objection, ReviewCall, ReviewedCall } from '../policy/review.ts';
import type { ArgumentsVerdict } from '../policy/validate-arguments.ts';
import { type ApprovalPorts, askApproval } from './ask-approval.ts';
import type { RunningCall } from './call.ts';
import type { ContentKind } from './call-record.ts';
import { hasReferences } from './references.ts';

/** The permissions of a caller. */
export interface CallPolicy {
  readonly approval: ApprovalConfig;
  /** The tools that the caller may use, also from within a chain; all if undefined. */
  readonly mayUse?: (tool: CatalogEntry) => boolean;
  /** The permissions for a tool that the call uses itself, if it is a chain or a script; the same by default. */
  readonly forStep?: (tool: CatalogEntry) => CallPolicy;
  /**
   * The resources, prompts and skills that the caller may read; all if undefined. A resource is named by its URI, a skill by
   * the path of its folder.
   */
  readonly mayRead?: (content: {
    readonly kind: ContentKind | 'skill';
    readonly server: string | undefined;
    readonly name: string;
  }) => boolean;
}

export interface AuthorizePorts extends ApprovalPorts {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly checker: LazyArgumentsChecker;
  /** How the arguments of a server's tools are validated. */
  readonly validationOf: (server: string) => ArgumentValidation;
  /** Replaces the references in the arguments of a call by their values. */
  readonly resolve: (call: RunningCall, args: JsonObject) => Promise<JsonObject>;
  /** The review by the policies of plugins; undefined if there are none. */
  readonly review?: () => ReviewCall | undefined;
}

/** Permission to run one call: this definition of the tool, with these arguments. */
export interface Authorization {
  readonly entry: CatalogEntry;
  readonly args: JsonObject;
  /** The definition that a person approved for this call; undefined if no approval was needed. */
  readonly approvedHash?: string;
  /** The id of the rule that allowed the call. */
  readonly rule?: string;
}

/**
 * Decides, validates the arguments and asks for approval if the policy requires it. Throws or rejects unless the call may run.
 * Most calls are allowed at once, without waiting for anything.
 */
export function authorize(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Authorization | Promise<Authorization> {
  const decision = decideCall(call, entry, input, policy, ports);
  if (decision instanceof Promise || decision.kind !== 'allow' || call.isResumed || ports.review?.())
    return authorizeLater(call, entry, input, policy, decision, ports);
  const args = validate(call, entry, input, ports);
  const { rule } = decision;
  return args instanceof Promise ? args.then((valid) => ({ entry, args: valid, rule })) : { entry, args, rule };
}

async function authorizeLater(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  policy: CallPolicy,
  deciding: AllowOrAsk | Promise<AllowOrAsk>,
  ports: AuthorizePorts,
): Promise<Authorization> {
  const decision = await deciding;
  const args = await validate(call, entry, input, ports);
  const review = ports.review?.();
  const objection = review && (await reviewCall(review, call, entry, args, decision, ports));
  // The approval of a resumed call may have been used for a call that its client repeated.
  if (decision.kind === 'allow' && !objection && !call.isResumed) return { entry, args, rule: decision.rule };
  // A script that goes on was approved when it began, with the same definition and arguments.
  if (call.isContinued && call.record.startedAt !== undefined)
    return { entry, args, approvedHash: entry.definitionHash };
  const reason =
    objection?.reason ?? (decision.kind === 'ask' ? decision.reason : 'the call waited for approval before');
  const question = { entry, args, reason, policy: objection?.by, approval: policy.approval };
  const approved = await askApproval(call, question, ports);
  return {
    entry,
    args: approved === args ? args : await validate(call, entry, approved, ports),
    approvedHash: entry.definitionHash,
  };
}

/**
 * Checks an authorization again after the call has waited: the tool, its pin, the rules, the profile and the caller's key
 * may have changed. Undefined if the call needs a new approval.
 */
export async function reauthorize(
  call: RunningCall,
  { entry: before, args, approvedHash }: Authorization,
  policy: CallPolicy,
  ports: AuthorizePorts,
): Promise<Authorization | undefined> {
  const entry = findCurrent(call, before, ports);
  const decision = await decideCall(call, entry, args, policy, ports);
  // The person who approved the call may have edited its arguments.
  const review = ports.review?.();
  const objection = review && (await reviewCall(review, call, entry, args, decision, ports));
  const mustAsk = decision.kind === 'ask' || objection !== undefined;
  if (mustAsk && approvedHash !== entry.definitionHash) return undefined;
  if (entry.definitionHash !== before.definitionHash) await validate(call, entry, args, ports);
  return { entry, args, approvedHash, rule: decision.kind === 'allow' ? decision.rule : undefined };
}

/** The current entry of the same tool. */
function findCurrent({ calledAs }: RunningCall, before: CatalogEntry, { catalog }: AuthorizePorts): CatalogEntry {
  const entry = before.isBuiltIn ? before : catalog.find(toolIdOf(before));
  if (entry) return entry;
  throw new ToolwharfError('TOOL_CHANGED', `${calledAs} was removed while the call was waiting`);
}

type AllowOrAsk = Exclude<Decision, { kind: 'deny' }>;

function decideCall(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  policy: CallPolicy,
  { rules }: AuthorizePorts,
): AllowOrAsk | Promise<AllowOrAsk> {
  if (entry.isBuiltIn) return { kind: 'allow', because: 'the calls that it makes are authorized' };
  const { approval } = policy;
  const args = isObject(input) ? input : undefined;
  const decision = decideByStore({ tool: entry, approval, caller: call.caller, args }, rules);
  if (decision instanceof Promise) return decision.then((late) => assertAllowed(late, call, entry, policy));
  return assertAllowed(decision, call, entry, policy);
}

/** The decision, unless it denies the call or the caller may not use the tool. */
function assertAllowed(
  decision: Decision,
  { calledAs }: RunningCall,
  entry: CatalogEntry,
  { mayUse }: CallPolicy,
): AllowOrAsk {
  if (decision.kind !== 'deny') {
    if (!mayUse || mayUse(entry)) return decision;
    throw new ToolwharfError('TOOL_NAME_INVALID', `Invalid MCP tool name: ${calledAs}`);
  }
  const code = entry.changed === 'quarantine' ? 'TOOL_CHANGED' : 'CALL_DENIED';
  throw new ToolwharfError(code, `The call to ${calledAs} was denied: ${decision.reason}`);
}

/** The approval that policies of plugins require; rejects if they deny the call. */
async function reviewCall(
  review: ReviewCall,
  call: RunningCall,
  entry: CatalogEntry,
  args: JsonObject,
  decision: Pick<Decision, 'kind'>,
  { resolve }: AuthorizePorts,
): Promise<Objection | undefined> {
  // The calls that a built-in tool makes are reviewed.
  if (entry.isBuiltIn) return undefined;
  const values = entry.script || !hasReferences(args) ? args : await resolve(call, args);
  const objection = await review(toReviewedCall(call, entry, values, decision));
  if (objection?.kind !== 'deny') return objection;
  const message = `The call to ${call.calledAs} was denied: ${objection.reason}`;
  throw new ToolwharfError('CALL_DENIED', message, { data: { tool: entry.name, policy: objection.by } });
}

/** A call as plugins see it. */
export function toReviewedCall(
  { id, caller, profile, record }: RunningCall,
  { server, name, originalName, definition, serverTrusted }: CatalogEntry,
  args: JsonObject,
  { kind: decision }: Pick<Decision, 'kind'>,
): ReviewedCall {
  return {
    id,
    kind: record.kind === 'resource' || record.kind === 'prompt' ? record.kind : 'tool',
    caller,
    profile,
    server,
    tool: name,
    originalName,
    annotations: definition.annotations,
    serverTrusted,
    arguments: args,
    decision: decision === 'ask' ? 'ask' : 'allow',
  };
}

/** Approvals and the journal have the references that the caller gave, the values of which are validated. */
function validate(
  call: RunningCall,
  entry: CatalogEntry,
  input: unknown,
  ports: AuthorizePorts,
): JsonObject | Promise<JsonObject> {
  if (entry.script || !isObject(input) || !hasReferences(input)) return validateValues(call, entry, input, ports);
  return ports.resolve(call, input).then(async (values) => {
    await validateValues(call, entry, values, ports);
    return input;
  });
}

function validateValues(
  { calledAs }: RunningCall,
  { server, definition }: CatalogEntry,
  input: unknown,
  { checker, validationOf }: AuthorizePorts,
): JsonObject | Promise<JsonObject> {
  const mode = server === undefined ? 'strict' : validationOf(server);
  const schema = mode === 'off' ? anyArguments : definition.inputSchema;
  const given = input ?? {};
  const args = mode === 'coerce' && isObject(given) ? coerceArguments(schema, given) : given;
  const verdict = checker.check(schema, args);
  return verdict instanceof Promise
    ? verdict.then((late) => accept(late, args, calledAs))
    : accept(verdict, args, calledAs);
}

function accept(verdict: ArgumentsVerdict, args: unknown, calledAs: string): JsonObject {
  if (verdict.ok) return args as JsonObject;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${calledAs}: ${verdict.text}`);
}

const anyArguments = { type: 'object' };
