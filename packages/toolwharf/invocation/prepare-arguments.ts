import { messageOf, ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../contract/json.ts';
import type { ArgumentValidation } from '../../contract/settings/choices.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import {
  type HiddenArguments,
  hasMasks,
  hideArguments,
  isMask,
  restoreArguments,
  secretAt,
} from '../kernel/hide-arguments.ts';
import { parsePointer, valueAt } from '../kernel/json-pointer.ts';
import { secretsOf } from '../kernel/secret-values.ts';
import { snapshotJson } from '../kernel/snapshot-json.ts';
import { coerceArguments, parseOrUndefined } from '../policy/coerce-arguments.ts';
import type { LazyArgumentsChecker } from '../policy/lazy-arguments-checker.ts';
import type { ArgumentsVerdict } from '../policy/validate-arguments.ts';
import { type ArgumentLimits, createArgumentBudget } from './argument-budget.ts';
import { areReceived, snapshotBounds } from './receive-arguments.ts';
import { hasReferences, type ResolvedReferences } from './references.ts';

/**
 * The arguments of a call as they will be sent: references are resolved, and texts are converted where the server has
 * `validation: coerce`. Frozen. Rules, plugins, people, the journal and the server all get this value and no other.
 */
export interface PreparedArguments {
  readonly values: JsonObject;
  /** The values with references instead of the secrets that results contained. The same object if there are none. */
  readonly referenced: JsonObject;
  /**
   * What people see and the journal records: the referenced values, with masks instead of the values that the input schema marks
   * as secret. The same object if there are none.
   */
  readonly shown: JsonObject;
  /** The masks of `shown`. */
  readonly masks: HiddenArguments;
  /** The schemas that mark secrets: those of all definitions that the tool had during the call. */
  readonly hiddenBy: readonly JsonSchema[];
  /** The arguments that rules cannot compare: those with references to secrets and, in the call of a script, with any references. */
  readonly hidden: ReadonlySet<string>;
}

export interface PreparePorts {
  readonly checker: LazyArgumentsChecker;
  /** How the arguments of a server's tools are validated. */
  readonly validationOf: (server: string) => ArgumentValidation;
  /** Unlimited if undefined. */
  readonly argumentLimits?: ArgumentLimits;
}

type ConversionPorts = Pick<PreparePorts, 'validationOf' | 'argumentLimits'>;

const none: ReadonlySet<string> = new Set();
const anyArguments = { type: 'object' };

/** A frozen copy of what a caller or approver gave. Undefined unless it is an object within the bounds of arguments. */
export function snapshotArguments(input: unknown, calledAs: string): JsonObject | undefined {
  if (areReceived(input, calledAs)) return input;
  try {
    const copy = snapshotJson(input ?? {}, snapshotBounds);
    return isObject(copy) ? copy : undefined;
  } catch (cause) {
    throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${calledAs}: ${messageOf(cause)}`, { cause });
  }
}

/** Whether references in the arguments are replaced by their values. Scripts get references, and pass them to tools. */
export function needsResolving(entry: CatalogEntry, args: JsonObject): boolean {
  return !entry.script && hasReferences(args);
}

/** Prepares arguments that need no resolving. */
export function prepareArguments(entry: CatalogEntry, args: JsonObject, ports: PreparePorts): PreparedArguments {
  const hidden = entry.script ? new Set(Object.keys(args).filter((name) => hasReferences(args[name]))) : none;
  return prepare(entry, { values: args, referenced: args, hidden, hiddenBy: [] }, ports);
}

/** Prepares arguments whose references were resolved. */
export function prepareResolved(
  entry: CatalogEntry,
  resolved: ResolvedReferences,
  ports: PreparePorts,
): PreparedArguments {
  const values = freeze(resolved.values);
  if (resolved.shown === resolved.values)
    return prepare(entry, { values, referenced: values, hidden: none, hiddenBy: [] }, ports);
  const referenced = freeze(resolved.shown);
  const { restored = [] } = resolved;
  const hidden = new Set([...Object.keys(referenced).filter((name) => hasReferences(referenced[name])), ...restored]);
  return prepare(entry, { values, referenced, hidden, hiddenBy: [] }, ports);
}

/** Converts prepared arguments to the types of a definition. References are not resolved a second time. */
export function conformArguments(
  entry: CatalogEntry,
  prepared: PreparedArguments,
  ports: ConversionPorts,
): PreparedArguments {
  return prepare(entry, prepared, ports);
}

function prepare(
  entry: CatalogEntry,
  before: Omit<PreparedArguments, 'shown' | 'masks'>,
  ports: ConversionPorts,
): PreparedArguments {
  const { hidden } = before;
  const { inputSchema } = entry.definition;
  const coerce = (args: JsonObject) =>
    converts(entry, ports) ? coerced(args, coerceArguments(inputSchema, args, parseWithin(ports))) : args;
  const values = coerce(before.values);
  // People would see the reference, and it would be resolved if somebody edits the arguments.
  if (values !== before.values && !entry.script && hasReferences(values))
    throw new ToolwharfError(
      'ARGUMENTS_INVALID',
      'Invalid arguments: a text with JSON contains a reference: pass the JSON itself instead of a text',
    );
  const referenced = before.referenced === before.values ? values : coerce(before.referenced);
  const hiddenBy = secretsOf(inputSchema) ? [...new Set([...before.hiddenBy, inputSchema])] : before.hiddenBy;
  const masks = hideArguments(hiddenBy, referenced, isReference);
  const shown = masks.shown === referenced ? referenced : freeze(masks.shown);
  return { values, referenced, shown, masks, hiddenBy, hidden };
}

/**
 * Waits for the caller's turn if texts in the arguments will be converted to large values; undefined if not. Throws
 * `REQUEST_TOO_LARGE`. The texts are not parsed.
 */
export function awaitConversion(
  entry: CatalogEntry,
  args: JsonObject,
  caller: string,
  ports: ConversionPorts,
): Promise<void> | undefined {
  if (!ports.argumentLimits || !converts(entry, ports)) return undefined;
  const budget = createArgumentBudget(ports.argumentLimits);
  coerceArguments(entry.definition.inputSchema, args, (text) => void budget.addText(text));
  return budget.takeTurn(caller);
}

function converts({ server }: CatalogEntry, { validationOf }: ConversionPorts): boolean {
  return server !== undefined && validationOf(server) === 'coerce';
}

/** Parses texts. A parsed text can contain texts that are parsed too, so each is weighed before. */
function parseWithin({ argumentLimits }: ConversionPorts): (text: string) => unknown {
  if (!argumentLimits) return parseOrUndefined;
  const budget = createArgumentBudget(argumentLimits);
  return (text) => {
    budget.addText(text);
    return parseOrUndefined(text);
  };
}

/** The arguments of a call before they are prepared, as people may see them. */
export function showArguments({ definition }: CatalogEntry, args: JsonObject): JsonObject {
  return hideArguments([definition.inputSchema], args, isReference).shown;
}

const isReference = (value: unknown) => typeof value === 'string' && hasReferences(value);

/**
 * Rejects arguments with a mask where a secret belongs: somebody repeats a call as the journal shows it. With `isResumed`, the
 * arguments are those of the journal, where any mask stands for a secret.
 */
export function assertNoMasks(
  { definition }: CatalogEntry,
  args: JsonObject,
  calledAs: string,
  isResumed = false,
): void {
  if (!isResumed && !secretsOf(definition.inputSchema)) return;
  const { places } = hideArguments([definition.inputSchema], args, isReference);
  const isMasked = [...places.values()].some((place) => isMask(valueAt(args, parsePointer(place))));
  if (!isMasked && !(isResumed && hasMasks(args))) return;
  const message = `Invalid arguments for ${calledAs}: [hidden] stands for a secret, and secrets are not stored: pass the value itself`;
  throw new ToolwharfError('ARGUMENTS_INVALID', message);
}

/** The arguments that an approver edited, with the secrets whose masks are still there. A secret stays where secrets are hidden. */
export function restoreSecrets(edited: JsonObject, prepared: PreparedArguments, calledAs: string): JsonObject {
  const { masks, referenced, hiddenBy } = prepared;
  if (masks.places.size === 0) return edited;
  const { args, restoredAt } = restoreArguments(edited, referenced, masks);
  const hidden = hideArguments(hiddenBy, args);
  const moved = restoredAt.find((pointer) => secretAt(pointer, hidden) === undefined);
  if (moved === undefined) return args;
  const message = `Invalid arguments for ${calledAs}: ${moved} would show the value of another argument, which is hidden`;
  throw new ToolwharfError('ARGUMENTS_INVALID', message);
}

/** Arguments that nothing was converted in are sent as they arrived. */
function coerced(before: JsonObject, after: JsonObject): JsonObject {
  return after === before ? before : freeze(after);
}

/** Arguments that exceed the bounds stay as they are: validation rejects them. */
function freeze(args: JsonObject): JsonObject {
  return (snapshotJson(args, snapshotBounds) as JsonObject | undefined) ?? args;
}

/** Validates prepared arguments. Throws or rejects with `ARGUMENTS_INVALID`. */
export function validateArguments(
  { server, definition }: CatalogEntry,
  args: unknown,
  calledAs: string,
  { checker, validationOf }: PreparePorts,
  prepared?: PreparedArguments,
): undefined | Promise<undefined> {
  const mode = server === undefined ? 'strict' : validationOf(server);
  const verdict = checker.check(mode === 'off' ? anyArguments : definition.inputSchema, args);
  const hasSecrets = secretsOf(definition.inputSchema) !== undefined || (prepared !== undefined && hasHidden(prepared));
  const assertValid = (checked: ArgumentsVerdict) => {
    if (checked.ok) return undefined;
    const text = hasSecrets ? withoutValues(checked, prepared?.masks) : checked.text;
    throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${calledAs}: ${text}`);
  };
  return verdict instanceof Promise ? verdict.then(assertValid) : assertValid(verdict);
}

function hasHidden({ hidden, hiddenBy }: PreparedArguments): boolean {
  return hidden.size > 0 || hiddenBy.length > 0;
}

/** What is wrong with arguments, without their values and without the names of members that are secret. */
function withoutValues(
  { problems }: Extract<ArgumentsVerdict, { ok: false }>,
  masks: HiddenArguments | undefined,
): string {
  const texts = problems.map(({ path, expected }) => {
    const shownPath = (masks && secretAt(path, masks)) ?? path;
    return `${shownPath || 'the arguments'}: expected ${expected}`;
  });
  return [...new Set(texts)].slice(0, 10).join('; ') || "they do not match the tool's schema";
}
