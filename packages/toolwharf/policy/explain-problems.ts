import { isObject } from '../../contract/json.ts';
import { isSecretName } from '../../contract/secret-names.ts';
import { closest } from '../kernel/closest.ts';
import { escapePointerToken, unescapePointerToken } from '../kernel/json-pointer.ts';
import { symbolText } from './exact-numbers.ts';
import { explainAlternatives, type Finding, isAlternatives, joinSome } from './explain-alternatives.ts';
import type { Complaint } from './safe-keywords.ts';
import { assertedFormats } from './schema-keywords.ts';
import type { RawError } from './validator.ts';
import { SafePattern } from './work-budget.ts';

/** One problem of the arguments. */
export interface ArgumentProblem {
  /** JSON pointer; empty for the arguments as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /** The problem in one sentence, with its path. */
  readonly message: string;
}

const maxShownLength = 80;

const maxListed = 10;
const maxPathLength = 200;

/** Turns the validator's errors into problems that a model or person can fix. */
export function explainProblems(errors: readonly RawError[], args: unknown): ArgumentProblem[] {
  const findings = toFindings(errors);
  const seen = new Set<string>();
  return findings.flatMap((finding) => {
    const path =
      finding.path.length > maxPathLength ? `${finding.path.slice(0, maxPathLength).toWellFormed()}…` : finding.path;
    const got = finding.got ?? describeValue(valueAt(args, finding.path), isSecretPath(finding.path));
    const message =
      finding.keyword === 'required'
        ? `${path} is required`
        : `${path || 'the arguments'}: expected ${finding.expected}, got ${got}`;
    if (seen.has(message)) return [];
    seen.add(message);
    return [{ path, expected: finding.expected, got, message }];
  });
}

/** The problems as a text for a model: one to a line, at most ten. */
export function problemsText(problems: readonly ArgumentProblem[]): string {
  const [only, ...more] = problems;
  if (only && more.length === 0) return only.message;
  const lines = problems.slice(0, maxListed).map(({ message }) => `- ${message}`);
  const rest = problems.length - maxListed;
  return [`${problems.length} problems`, ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

/** Describes a value by its type and, if it is short and not secret, its content. */
export function describeValue(value: unknown, isSecret: boolean): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length} items`;
  if (typeof value === 'object') return `object with ${Object.keys(value).length} properties`;
  if (typeof value === 'symbol') return isSecret ? 'number' : `number ${symbolText(value).slice(0, maxShownLength)}`;
  return isSecret ? typeof value : `${typeof value} ${showValue(value)}`;
}

/** The finding at each path. An error that only sums up others is a finding only where there is no other. */
function toFindings(errors: readonly RawError[]): readonly Finding[] {
  const direct = new Map(
    errors
      .filter((error) => !isAlternatives(error) && !sumsUpProperties(error))
      .map((error) => [error, findingsOf(error)]),
  );
  const paths = [...direct.values()].flat().map(({ path }) => path);
  const findings = errors.flatMap((error) =>
    sumsUpProperties(error) ? unexplainedProperties(error, paths) : (direct.get(error) ?? []),
  );
  return explainAlternatives(findings, errors);
}

function sumsUpProperties({ keyword }: RawError): boolean {
  return keyword === 'additionalProperties' || keyword === 'propertyNames';
}

function unexplainedProperties(error: RawError, explained: readonly string[]): readonly Finding[] {
  const properties = (error.params[error.keyword] as readonly string[] | undefined) ?? [];
  return properties
    .slice(0, 100)
    .map((property) => `${error.instancePath}/${escapePointerToken(property)}`)
    .filter((path) => !explained.some((other) => other === path || other.startsWith(`${path}/`)))
    .map((path) => ({ ...originOf(error), path, expected: 'no such property' }));
}

function choicesOf({ keyword, params }: RawError): readonly string[] | undefined {
  if (keyword === 'type') return [params.type].flat().map(String);
  if (keyword === 'const') return [showValue(params.allowedValue)];
  return keyword === 'enum' ? (params.allowedValues as readonly unknown[]).map(showValue) : undefined;
}

function findingsOf(error: RawError): readonly Finding[] {
  const { keyword, params } = error;
  if (keyword === 'required') {
    return (params.requiredProperties as readonly string[]).slice(0, 100).map((key) => ({
      ...originOf(error),
      path: `${error.instancePath}/${escapePointerToken(key)}`,
      expected: 'a required value',
      got: 'nothing',
    }));
  }
  if (keyword === '~refine') return fromComplaint(error, params.message as Complaint);
  const isName = /(^|\/)propertyNames(\/|$)/.test(error.schemaPath);
  const choices = choicesOf(error);
  const expected = choices ? joinSome(choices) : expectation(error);
  return [
    {
      ...originOf(error),
      choices,
      expected: isName ? `a property name that is ${expected}` : expected,
      got: isName ? `the name ${showValue(lastPart(error.instancePath))}` : undefined,
    },
  ];
}

function fromComplaint(error: RawError, complaint: Complaint): readonly Finding[] {
  if ('expected' in complaint) return [{ ...originOf(error), expected: complaint.expected }];
  if ('errors' in complaint) {
    return toFindings(complaint.errors).map((finding) => ({
      ...finding,
      path: error.instancePath + finding.path,
      schemaPath: `${error.schemaPath}/${finding.schemaPath}`,
    }));
  }
  const known = complaint.knownProperties.slice(0, 200);
  const guess = closest(lastPart(error.instancePath), known);
  const list =
    known.length === 0 ? 'there are none' : `there are ${known.slice(0, maxListed).map(showValue).join(', ')}`;
  const more = known.length > maxListed ? ` and ${complaint.knownProperties.length - maxListed} more` : '';
  const hint = guess === undefined ? `${list}${more}` : `did you mean ${showValue(guess)}?`;
  return [{ ...originOf(error), keyword: 'additionalProperties', expected: `no property of this name (${hint})` }];
}

function expectation({ keyword, params }: RawError): string {
  const { limit } = params;
  switch (keyword) {
    case 'format':
      return (
        [...assertedFormats.values()].find(({ check }) => check === params.format)?.expected ?? String(params.format)
      );
    case 'pattern':
      return `text that matches ${showValue(params.pattern instanceof SafePattern ? params.pattern.text : '')}`;
    case 'minLength':
      return `at least ${count(limit, 'character')}`;
    case 'maxLength':
      return `at most ${count(limit, 'character')}`;
    case 'minItems':
      return `at least ${count(limit, 'item')}`;
    case 'maxItems':
      return `at most ${count(limit, 'item')}`;
    case 'minProperties':
      return `at least ${count(limit, 'property')}`;
    case 'maxProperties':
      return `at most ${count(limit, 'property')}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `a number ${params.comparison} ${limit}`;
    case 'multipleOf':
      return `a multiple of ${params.multipleOf}`;
    case 'contains':
      return `${params.maxContains === undefined ? `at least ${params.minContains}` : `at most ${params.maxContains}`} items of the wanted kind`;
    case 'dependentRequired':
      return `${joinSome((params.dependencies as readonly unknown[]).map(showValue), ' and ')} beside ${showValue(params.property)}`;
    case 'boolean':
      return 'nothing here';
    default:
      return 'something else: the schema excludes it';
  }
}

function count(limit: unknown, noun: 'character' | 'item' | 'property'): string {
  if (limit === 1) return `1 ${noun}`;
  return `${limit} ${noun === 'property' ? 'properties' : `${noun}s`}`;
}

function originOf({ instancePath, schemaPath, keyword }: RawError): Pick<Finding, 'path' | 'schemaPath' | 'keyword'> {
  return { path: instancePath, schemaPath, keyword };
}

function valueAt(args: unknown, path: string): unknown {
  let current = args;
  for (const part of path.split('/').slice(1)) {
    const key = unescapePointerToken(part);
    if (Array.isArray(current)) current = current[Number(key)];
    else current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current;
}

function lastPart(path: string): string {
  return unescapePointerToken(path.slice(path.lastIndexOf('/') + 1));
}

/** A value as JSON, never longer than 80 characters. */
function showValue(value: unknown): string {
  const cut = typeof value === 'string' ? value.slice(0, maxShownLength) : value;
  const text = JSON.stringify(cut) ?? String(cut);
  const isCut = text.length > maxShownLength || (typeof value === 'string' && value.length > maxShownLength);
  return isCut ? `${text.slice(0, maxShownLength - 1).toWellFormed()}…` : text;
}

/** Whether a part of the path is named like a secret, whose value must not be shown. */
function isSecretPath(path: string): boolean {
  return path.split('/').some((part) => isSecretName(part) || /key$/i.test(part));
}
