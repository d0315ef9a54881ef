import { closest } from '../kernel/closest.ts';
import { isObject } from '../kernel/json.ts';
import { escapePointerToken, unescapePointerToken } from '../kernel/json-pointer.ts';
import { describeValue, isSecretPath, showValue } from './describe-value.ts';
import type { Complaint } from './safe-keywords.ts';
import { assertedFormats } from './schema-keywords.ts';
import type { RawError } from './validator.ts';
import { SafePattern } from './work-budget.ts';

/** One thing that is wrong with the arguments. */
export interface ArgumentProblem {
  /** JSON pointer; empty for the arguments as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /** All of it in one sentence. */
  readonly message: string;
}

/** A problem while alternatives are still being weighed. */
interface Finding {
  readonly path: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly expected: string;
  /** What `expected` lists, where it is a choice. */
  readonly choices?: readonly string[];
  readonly got?: string;
}

const maxListed = 10;
const maxPathLength = 200;

/** What the validator found, as problems someone can act on: summaries of other errors are folded into what they summarise. */
export function explainProblems(errors: readonly RawError[], args: unknown): ArgumentProblem[] {
  const findings = fold(errors);
  const seen = new Set<string>();
  return findings.flatMap((finding) => {
    const path =
      finding.path.length > maxPathLength ? `${finding.path.slice(0, maxPathLength).toWellFormed()}…` : finding.path;
    const got = finding.got ?? describeValue(valueAt(args, finding.path), isSecretPath(finding.path));
    const message = `${path || 'the arguments'}: expected ${finding.expected}, got ${got}`;
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

/** Errors come after the ones they sum up, so what a summary is about lies at the end of what was found so far. */
function fold(errors: readonly RawError[]): Finding[] {
  const findings: Finding[] = [];
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') findings.push(...foldBranches(error, findings));
    else if (isSummary(error)) {
      const below = `${error.instancePath}/`;
      for (const key of summarised(error)) {
        const path = `${below}${escapePointerToken(key)}`;
        if (!findings.some((finding) => finding.path === path || finding.path.startsWith(`${path}/`)))
          findings.push({ ...placeOf(error), path, expected: 'no such property' });
      }
    } else findings.push(...toFindings(error));
  }
  return findings;
}

function isSummary({ keyword }: RawError): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' || keyword === 'propertyNames';
}

function summarised({ keyword, params }: RawError): readonly string[] {
  return (params[keyword] as readonly string[] | undefined)?.slice(0, 100) ?? [];
}

/** Takes the branches' findings off the end, and gives back those that help. */
function foldBranches(error: RawError, findings: Finding[]): Finding[] {
  const prefix = `${error.schemaPath}/${error.keyword}/`;
  const branches = new Map<string, Finding[]>();
  for (let last = findings.at(-1); last?.schemaPath.startsWith(prefix); last = findings.at(-1)) {
    findings.pop();
    const [branch = ''] = last.schemaPath.slice(prefix.length).split('/');
    branches.set(branch, [last, ...(branches.get(branch) ?? [])]);
  }
  const choices = [...branches.values()].reverse();
  if (choices.length === 0) {
    const passing = error.params.passingSchemas;
    const expected = Array.isArray(passing)
      ? `what exactly one of the alternatives allows, not ${passing.length}`
      : 'what one of the alternatives allows';
    return [{ ...placeOf(error), expected }];
  }
  if (choices.every((findings) => findings.length === 1 && findings.every((finding) => isSimple(finding, error))))
    return [{ ...placeOf(error), keyword: 'type', ...toChoice(choices.flat()) }];
  const kind = commonKind(choices);
  if (kind) return [{ ...kind, schemaPath: error.schemaPath }];
  const best = choices.reduce((a, b) => (distance(b, error) < distance(a, error) ? b : a));
  return best.map((finding) => ({ ...finding, schemaPath: error.schemaPath }));
}

/** Where every alternative wants another fixed value in the same place, the choice between those is what matters. */
function commonKind(choices: readonly (readonly Finding[])[]): Finding | undefined {
  const ofBranch = choices.map((findings) =>
    findings.filter(({ keyword }) => keyword === 'const' || keyword === 'enum'),
  );
  const [first = [], ...others] = ofBranch;
  const shared = first.find(({ path }) =>
    others.every((findings) => findings.some((finding) => finding.path === path)),
  );
  if (!shared) return undefined;
  return { ...shared, ...toChoice(ofBranch.flat().filter(({ path }) => path === shared.path)) };
}

function toChoice(findings: readonly Finding[]): Pick<Finding, 'choices' | 'expected'> {
  const choices = [...new Set(findings.flatMap((finding) => finding.choices ?? [finding.expected]))];
  return { choices, expected: joinSome(choices) };
}

function choicesOf({ keyword, params }: RawError): readonly string[] | undefined {
  if (keyword === 'type') return [params.type].flat().map(String);
  if (keyword === 'const') return [showValue(params.allowedValue)];
  return keyword === 'enum' ? (params.allowedValues as readonly unknown[]).map(showValue) : undefined;
}

function isSimple(finding: Finding, error: RawError): boolean {
  return finding.path === error.instancePath && ['type', 'const', 'enum', 'format'].includes(finding.keyword);
}

/** How far a value is from one alternative: of another type is farthest, then another kind by a fixed value, then by count. */
function distance(findings: readonly Finding[], error: RawError): number {
  const isOtherType = findings.some(({ path, keyword }) => path === error.instancePath && keyword === 'type');
  const isExcluded = findings.some(({ keyword }) => keyword === 'not');
  const isOtherKind = findings.some(({ keyword }) => keyword === 'const');
  return findings.length + (isOtherType ? 10_000 : 0) + (isExcluded ? 5_000 : 0) + (isOtherKind ? 1_000 : 0);
}

function toFindings(error: RawError): Finding[] {
  const { keyword, params } = error;
  if (keyword === 'required') {
    return (params.requiredProperties as readonly string[]).slice(0, 100).map((key) => ({
      ...placeOf(error),
      path: `${error.instancePath}/${escapePointerToken(key)}`,
      expected: 'a value, since it is required',
      got: 'nothing',
    }));
  }
  if (keyword === '~refine') return fromComplaint(error, params.message as Complaint);
  const isName = /(^|\/)propertyNames(\/|$)/.test(error.schemaPath);
  const choices = choicesOf(error);
  const expected = choices ? joinSome(choices) : expectation(error);
  return [
    {
      ...placeOf(error),
      ...(choices && { choices }),
      expected: isName ? `a property name that is ${expected}` : expected,
      ...(isName && { got: `the name ${showValue(lastPart(error.instancePath))}` }),
    },
  ];
}

function fromComplaint(error: RawError, complaint: Complaint): Finding[] {
  if ('expected' in complaint) return [{ ...placeOf(error), expected: complaint.expected }];
  if ('errors' in complaint) {
    return fold(complaint.errors).map((finding) => ({
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
  return [{ ...placeOf(error), keyword: 'additionalProperties', expected: `no property of this name (${hint})` }];
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
    case 'unevaluatedItems':
      return 'no further items';
    default:
      return 'something else: the schema excludes it';
  }
}

function count(limit: unknown, noun: 'character' | 'item' | 'property'): string {
  if (limit === 1) return `1 ${noun}`;
  return `${limit} ${noun === 'property' ? 'properties' : `${noun}s`}`;
}

function joinSome(words: readonly string[], joint = ' or '): string {
  const shown = words.slice(0, maxListed).join(joint);
  return words.length > maxListed ? `${shown}${joint}one of ${words.length - maxListed} more` : shown;
}

function placeOf({ instancePath, schemaPath, keyword }: RawError): Pick<Finding, 'path' | 'schemaPath' | 'keyword'> {
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
