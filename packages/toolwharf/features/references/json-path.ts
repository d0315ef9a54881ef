import { isObject } from '../../../contract/json.ts';
import { isRawNumber } from '../../kernel/exact-json.ts';

/** One step of a path: a member, an index from either end, every member, or all values below. */
type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'every' }
  | { readonly kind: 'descend' };

export type PathResult = { readonly values: readonly unknown[] } | { readonly problem: string };

const token =
  /\.\.|\.(\*)|\.([A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff-]*)|\[(\*)\]|\[(-?\d{1,9})\]|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]/suy;
const nameAfterDescent = /(\*)|([A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff-]*)|(?=\[)/suy;
const maxSteps = 32;
const maxValues = 10_000;
/** Bounds the time of one query. */
const maxVisits = 1_000_000;

/**
 * Evaluates a JSON path: `$`, `.name`, `['name']`, `[0]`, `[-1]`, `[*]`, `.*` and `..name`. There are no filters, so that the
 * cost is bounded by the size of the document.
 */
export function queryJsonPath(document: unknown, path: string): PathResult {
  const steps = parsePath(path);
  if (!steps) return { problem: `not a JSON path: ${path}. Examples: $.items[0].name, $.items[*], $..id` };
  let values: readonly unknown[] = [document];
  const budget = { visits: maxVisits };
  for (const step of steps) {
    values = applyStep(values, step, budget);
    if (budget.visits < 0) return { problem: 'the path visits too many values: write a narrower one' };
  }
  if (values.length > maxValues) return { problem: `the path matches more than ${maxValues} values: narrow it` };
  return { values };
}

function parsePath(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: Step[] = [];
  for (let at = 1; at < path.length; ) {
    const match = matchAt(token, path, at);
    if (!match || steps.length >= maxSteps) return undefined;
    at += match[0].length;
    const [text, star, name, bracketStar, index, quoted] = match;
    if (text === '..') {
      const after = matchAt(nameAfterDescent, path, at);
      if (!after) return undefined;
      at += after[0].length;
      steps.push({ kind: 'descend' });
      if (after[1]) steps.push({ kind: 'every' });
      else if (after[2]) steps.push({ kind: 'name', name: after[2] });
    } else if (star ?? bracketStar) steps.push({ kind: 'every' });
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else steps.push({ kind: 'name', name: name ?? unquote(quoted as string) });
  }
  return steps;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
}

function applyStep(values: readonly unknown[], step: Step, budget: { visits: number }): readonly unknown[] {
  if (step.kind === 'descend') return descend(values, budget);
  const found: unknown[] = [];
  for (const value of values) {
    if (--budget.visits < 0) return found;
    if (step.kind === 'every') {
      for (const child of childrenOf(value)) {
        if (--budget.visits < 0) return found;
        found.push(child);
      }
    } else if (step.kind === 'index') {
      if (Array.isArray(value) && value.at(step.index) !== undefined) found.push(value.at(step.index));
    } else if (isObject(value) && Object.hasOwn(value, step.name)) found.push(value[step.name]);
  }
  return found;
}

/** The values and all values below them, in the order of the document. Without recursion: documents may be deep. */
function descend(values: readonly unknown[], budget: { visits: number }): readonly unknown[] {
  const found: unknown[] = [];
  const open = [...values].reverse();
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (--budget.visits < 0) return found;
    found.push(value);
    const children = childrenOf(value);
    for (let at = children.length - 1; at >= 0; at--) open.push(children[at]);
  }
  return found;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) && !isRawNumber(value) ? Object.values(value) : [];
}
