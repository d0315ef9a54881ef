import { RE2JS } from 're2js';
import { closest } from '../../../kernel/closest.ts';
import { ConditionError, EvaluationError } from './errors.ts';
import { assertLength, functions, methods, windowMs } from './functions.ts';
import { type Node, parse } from './parse.ts';
import {
  compare,
  Duration,
  type EvaluationBudget,
  fromProgram,
  isEqual,
  isNumber,
  keysOf,
  memberOf,
  spend,
  Timestamp,
  toInt,
  typeOf,
} from './values.ts';

export { ConditionError, EvaluationError, WorkLimitError } from './errors.ts';
export type { EvaluationBudget } from './values.ts';

/** A variable that conditions know, such as `call.args`. Members of a `map` are free, unless they are variables themselves. */
export interface ConditionVariable {
  /** Names of parents come with a dot: `call.server`. */
  readonly name: string;
  readonly type: 'string' | 'int' | 'number' | 'bool' | 'map' | 'list' | 'timestamp' | 'any';
  /** Set for a function. Its arguments must be literals, and each window a text such as `24h`. */
  readonly parameters?: readonly { readonly name: string; readonly type: 'string' | 'window' }[];
}

/** The values of variables by the first part of their names. A function is a function of its literal arguments. */
export type ConditionValues = Readonly<Record<string, unknown>>;

/** A call of a function of variables, such as `history.count('pay/*', '24h')`. */
export interface FunctionCall {
  readonly name: string;
  readonly args: readonly string[];
}

/** An expression that was compiled once and is evaluated often. */
export interface CompiledExpression {
  readonly text: string;
  /** The names of the variables that it uses, such as `call.args`. */
  readonly uses: ReadonlySet<string>;
  /** The members that it reads, such as `call.args.to`, each once. */
  readonly paths: readonly string[];
  /** The functions of variables that it calls, with their arguments. */
  readonly calls: readonly FunctionCall[];
  /**
   * The value: integers are BigInts. Throws an `EvaluationError` if there is none, a `WorkLimitError` if the budget is used up, and what
   * functions of variables throw.
   */
  evaluate(values: ConditionValues, budget: EvaluationBudget): unknown;
}

/** A condition that was compiled once and is evaluated often. */
export interface Condition extends Omit<CompiledExpression, 'evaluate'> {
  /** As `CompiledExpression.evaluate`; a value that is neither true nor false is an `EvaluationError`. */
  evaluate(values: ConditionValues, budget: EvaluationBudget): boolean;
}

/** Compiles a condition. Throws a `ConditionError`. */
export function compileCondition(text: string, variables: readonly ConditionVariable[]): Condition {
  const { uses, paths, calls, evaluate, type } = compile(text, variables);
  if (type !== undefined && type !== 'bool')
    throw new ConditionError(`the condition must be true or false, not ${type}`, text, 0);
  return {
    ...{ text, uses, paths, calls },
    evaluate(values, budget) {
      const value = evaluate(values, budget);
      if (typeof value === 'boolean') return value;
      throw new EvaluationError(`the condition must be true or false, not ${typeOf(value)}`);
    },
  };
}

/** Compiles an expression of any value. Throws a `ConditionError`. */
export function compileExpression(text: string, variables: readonly ConditionVariable[]): CompiledExpression {
  const { uses, paths, calls, evaluate } = compile(text, variables);
  return { text, uses, paths, calls, evaluate };
}

/** The values of one evaluation. */
class Frame implements EvaluationBudget {
  readonly values: ConditionValues;
  readonly budget: EvaluationBudget;
  readonly locals: unknown[] = [];

  constructor(values: ConditionValues, budget: EvaluationBudget) {
    this.values = values;
    this.budget = budget;
  }

  get left(): number {
    return this.budget.left;
  }

  set left(units: number) {
    this.budget.left = units;
  }
}

type Evaluate = (frame: Frame) => unknown;

/** A compiled node: what is known of its type before it is evaluated. */
interface Compiled {
  readonly run: Evaluate;
  readonly type?: string;
  /** Set for a literal. */
  readonly literal?: unknown;
  /** Set for a variable and its declared members. */
  readonly declared?: Declared;
}

/** A name in the tree of variables. */
interface Declared {
  readonly path: string;
  readonly variable?: ConditionVariable;
  readonly members: Map<string, Declared>;
}

interface Locals {
  readonly name: string;
  readonly slot: number;
  readonly outer: Locals | undefined;
}

const macros = ['all', 'exists', 'exists_one', 'map', 'filter'];
const maxProgramSize = 5_000;

function compile(
  text: string,
  variables: readonly ConditionVariable[],
): CompiledExpression & { readonly type: string | undefined } {
  const tree = toTree(variables);
  const uses = new Set<string>();
  const paths = new Set<string>();
  const calls: FunctionCall[] = [];
  const fail = (message: string, { at }: Pick<Node, 'at'>): never => {
    throw new ConditionError(message, text, at);
  };
  const hint = (name: string, names: Iterable<string>) => {
    const similar = closest(name, names);
    return similar === undefined ? '' : `; did you mean ${similar}?`;
  };

  const hintMember = ({ path, members }: Declared, member: string) => {
    const similar = closest(member, members.keys());
    return similar === undefined ? '' : `; did you mean ${path}.${similar}?`;
  };

  function toCode(node: Node, locals: Locals | undefined): Compiled {
    switch (node.kind) {
      case 'literal':
        return { run: () => node.value, type: typeOf(node.value), literal: node.value };
      case 'name':
        return readName(node, locals);
      case 'select':
        return select(node, locals);
      case 'index':
        return index(node, locals);
      case 'call':
        return call(node, locals);
      case 'list': {
        const items = node.items.map((item) => toCode(item, locals).run);
        return {
          type: 'list',
          run(frame) {
            spend(frame, items.length);
            return items.map((item) => item(frame));
          },
        };
      }
      case 'map':
        return map(node, locals);
      case 'unary':
        return unary(node, locals);
      case 'binary':
        return binary(node, locals);
      case 'choice': {
        const [when, then, otherwise] = [node.when, node.then, node.otherwise].map((part) => toCode(part, locals));
        if (!when || !then || !otherwise) throw new Error('a choice has three parts');
        return {
          type: then.type === otherwise.type ? then.type : undefined,
          run: (frame) => (asBool(when.run(frame)) ? then.run(frame) : otherwise.run(frame)),
        };
      }
    }
  }

  function readName(node: Extract<Node, { kind: 'name' }>, locals: Locals | undefined): Compiled {
    const { name } = node;
    for (let local = locals; local; local = local.outer) {
      if (local.name !== name) continue;
      const { slot } = local;
      return { run: (frame) => frame.locals[slot] };
    }
    const declared = tree.members.get(name);
    if (!declared) return fail(`unknown variable ${name}${hint(name, tree.members.keys())}`, node);
    if (declared.variable) uses.add(declared.path);
    if (declared.variable?.parameters)
      return fail(`${name} is a function: write ${signatureOf(declared.variable)}`, node);
    return {
      declared,
      type: typeOfVariable(declared.variable),
      run: (frame) => {
        const value = Object.hasOwn(frame.values, name) ? fromProgram(frame.values[name]) : undefined;
        if (value === undefined) throw new EvaluationError(`${name} has no value here`);
        return value;
      },
    };
  }

  function select(node: Extract<Node, { kind: 'select' }>, locals: Locals | undefined): Compiled {
    const { member } = node;
    const of = toCode(node.of, locals);
    const path = pathOf(node, locals);
    const run: Evaluate = (frame) => {
      const value = memberOf(of.run(frame), member);
      if (value === undefined) throw new EvaluationError(`there is no ${path ?? member}`);
      return value;
    };
    const declared = of.declared?.members.get(member);
    if (of.declared && !declared && of.declared.members.size > 0 && of.declared.variable?.type !== 'map')
      return fail(`unknown variable ${of.declared.path}.${member}${hintMember(of.declared, member)}`, node);
    if (of.type !== undefined && of.type !== 'map') return fail(`${of.type} has no members`, node);
    if (path !== undefined) {
      paths.delete(pathOf(node.of, locals) ?? '');
      paths.add(path);
    }
    if (declared?.variable) {
      uses.add(declared.path);
      if (declared.variable.parameters)
        return fail(`${declared.path} is a function: write ${signatureOf(declared.variable)}`, node);
    }
    return { run, declared, type: declared && typeOfVariable(declared.variable) };
  }

  /** `call.args.to`, unless a part of it is computed. */
  function pathOf(node: Node, locals: Locals | undefined): string | undefined {
    if (node.kind === 'name') {
      for (let local = locals; local; local = local.outer) if (local.name === node.name) return undefined;
      return node.name;
    }
    if (node.kind !== 'select') return undefined;
    const of = pathOf(node.of, locals);
    return of === undefined ? undefined : `${of}.${node.member}`;
  }

  function index(node: Extract<Node, { kind: 'index' }>, locals: Locals | undefined): Compiled {
    const of = toCode(node.of, locals);
    const key = toCode(node.index, locals);
    if (of.declared && of.declared.members.size > 0 && of.declared.variable?.type !== 'map')
      return fail(`write the members of ${of.declared.path} with a dot`, node);
    return {
      run(frame) {
        const [value, at] = [of.run(frame), key.run(frame)];
        if (Array.isArray(value)) {
          if (!isNumber(at)) throw new EvaluationError(`the index of a list is an int, not ${typeOf(at)}`);
          const item = fromProgram(value[Number(at)]);
          if (item === undefined) throw new EvaluationError(`the list has no item ${at}`);
          return item;
        }
        const member = memberOf(value, at);
        if (member === undefined)
          throw new EvaluationError(
            typeOf(value) === 'map' ? `there is no member ${show(at)}` : `${typeOf(value)} has no members`,
          );
        return member;
      },
    };
  }

  function map(node: Extract<Node, { kind: 'map' }>, locals: Locals | undefined): Compiled {
    const entries = node.entries.map(([key, value]) => [toCode(key, locals).run, toCode(value, locals).run] as const);
    return {
      type: 'map',
      run(frame) {
        spend(frame, entries.length);
        const made = new Map<unknown, unknown>();
        for (const [key, value] of entries) {
          const name = key(frame);
          if (typeof name !== 'string' && typeof name !== 'bigint' && typeof name !== 'boolean')
            throw new EvaluationError(`${typeOf(name)} cannot be a key of a map`);
          made.set(name, value(frame));
        }
        return made;
      },
    };
  }

  function unary(node: Extract<Node, { kind: 'unary' }>, locals: Locals | undefined): Compiled {
    const { run, type } = toCode(node.operand, locals);
    if (node.operator === '!') {
      if (type !== undefined && type !== 'bool') fail(`! needs true or false, not ${type}`, node);
      return { type: 'bool', run: (frame) => !asBool(run(frame)) };
    }
    return {
      type,
      run(frame) {
        const value = run(frame);
        if (typeof value === 'bigint') return toInt(-value);
        if (typeof value === 'number') return -value;
        if (value instanceof Duration) return new Duration(-value.ms);
        throw new EvaluationError(`${typeOf(value)} has no negative`);
      },
    };
  }

  function binary(node: Extract<Node, { kind: 'binary' }>, locals: Locals | undefined): Compiled {
    const { operator } = node;
    const [left, right] = [toCode(node.left, locals), toCode(node.right, locals)];
    if (operator === '&&' || operator === '||') {
      for (const { type } of [left, right])
        if (type !== undefined && type !== 'bool') fail(`${operator} needs true or false, not ${type}`, node);
      return { type: 'bool', run: decideEarly(left.run, right.run, operator === '||') };
    }
    if (operator === '==' || operator === '!=') {
      const equal = operator === '==';
      assertComparable(left, right, node);
      return { type: 'bool', run: (frame) => isEqual(left.run(frame), right.run(frame), frame) === equal };
    }
    if (operator === 'in') return { type: 'bool', run: (frame) => isIn(left.run(frame), right.run(frame), frame) };
    const compares = comparisons.get(operator);
    if (compares) return { type: 'bool', run: (frame) => compares(compare(left.run(frame), right.run(frame), frame)) };
    return { run: (frame) => calculate(operator, left.run(frame), right.run(frame), frame) };
  }

  /** A comparison that can never be true is a mistake. */
  function assertComparable(left: Compiled, right: Compiled, node: Node): void {
    const [one, other] = [kindOf(left.type), kindOf(right.type)];
    if (one === undefined || other === undefined || one === other || one === 'null' || other === 'null') return;
    fail(`${one} and ${other} are never equal`, node);
  }

  function call(node: Extract<Node, { kind: 'call' }>, locals: Locals | undefined): Compiled {
    const { name, args } = node;
    if (!node.of) {
      if (name === 'has') return has(node, locals);
      const declared = tree.members.get(name);
      if (declared?.variable?.parameters) return callVariable(declared, node);
      const known = functions.get(name);
      if (!known) return fail(`unknown function ${name}${hint(name, [...functions.keys(), 'has'])}`, node);
      return callDeclared(known, undefined, node, locals);
    }
    if (macros.includes(name) && args[0]?.kind === 'name') return comprehension(node, node.of, locals);
    const target = toCode(node.of, locals);
    const declared = target.declared?.members.get(name);
    if (declared?.variable?.parameters) return callVariable(declared, node);
    if (target.declared && target.declared.members.size > 0 && target.declared.variable?.type !== 'map') {
      return fail(`unknown function ${target.declared.path}.${name}${hintMember(target.declared, name)}`, node);
    }
    if (name === 'matches') return matches(node, target, locals);
    const known = methods.get(name);
    if (!known) return fail(`unknown function ${name}${hint(name, [...methods.keys(), ...macros, 'matches'])}`, node);
    return callDeclared(known, target, node, locals);
  }

  function callDeclared(
    { parameters: [min, max], run }: NonNullable<ReturnType<typeof methods.get>>,
    target: Compiled | undefined,
    node: Extract<Node, { kind: 'call' }>,
    locals: Locals | undefined,
  ): Compiled {
    const args = node.args.map((arg) => toCode(arg, locals).run);
    if (args.length < min || args.length > max)
      fail(`${node.name} takes ${min === max ? min : `${min} to ${max}`} arguments, not ${args.length}`, node);
    const compute: Evaluate = (frame) => {
      spend(frame, 1);
      return run(
        target?.run(frame),
        args.map((arg) => arg(frame)),
        frame,
      );
    };
    return { run: compute, type: resultTypes.get(node.name) };
  }

  /** Only literal patterns: they are checked here, and compiled once. */
  function matches(node: Extract<Node, { kind: 'call' }>, target: Compiled, locals: Locals | undefined): Compiled {
    const [pattern] = node.args.map((arg) => toCode(arg, locals));
    if (node.args.length !== 1 || typeof pattern?.literal !== 'string')
      return fail("matches takes one pattern, written as a text: value.matches('^a+$')", node);
    const engine = compilePattern(pattern.literal, node);
    const size = engine.programSize();
    return {
      type: 'bool',
      run(frame) {
        const text = target.run(frame);
        if (typeof text !== 'string') throw new EvaluationError(`matches needs a string, not ${typeOf(text)}`);
        spend(frame, 1 + (text.length * size) / 64);
        return engine.matcher(text).find();
      },
    };
  }

  function compilePattern(pattern: string, node: Node): RE2JS {
    let engine: RE2JS;
    try {
      engine = RE2JS.compile(pattern);
    } catch (cause) {
      return fail(`invalid pattern: ${(cause as Error).message}`, node);
    }
    if (engine.programSize() > maxProgramSize) fail('the pattern is too large', node);
    return engine;
  }

  function callVariable({ path, variable }: Declared, node: Extract<Node, { kind: 'call' }>): Compiled {
    if (!variable?.parameters) throw new Error(`${path} is no function`);
    uses.add(path);
    const usage = signatureOf(variable);
    if (node.args.length !== variable.parameters.length)
      fail(`${path} takes ${variable.parameters.length} arguments: ${usage}`, node);
    const args = variable.parameters.map(({ name, type }, at) => {
      const arg = node.args[at];
      if (arg?.kind !== 'literal' || typeof arg.value !== 'string')
        return fail(`the ${name} of ${path} must be a text: ${usage}`, arg ?? node);
      if (type === 'window' && windowMs(arg.value) === undefined)
        return fail(`the ${name} of ${path} must be a duration such as '24h'`, arg);
      return arg.value;
    });
    calls.push({ name: path, args });
    const [root = '', member] = path.split('.');
    return {
      type: typeOfVariable(variable),
      run(frame) {
        spend(frame, 1);
        const holder = Object.hasOwn(frame.values, root) ? frame.values[root] : undefined;
        const host = member === undefined ? holder : (holder as Record<string, unknown> | undefined)?.[member];
        if (typeof host !== 'function') throw new EvaluationError(`${path} has no value here`);
        return fromProgram(host.apply(holder, args));
      },
    };
  }

  /** `has(a.b)`: whether the member exists; false too if `a` does not exist. */
  function has(node: Extract<Node, { kind: 'call' }>, locals: Locals | undefined): Compiled {
    const [target] = node.args;
    if (node.args.length !== 1 || target?.kind !== 'select') return fail('has takes a member: has(call.args.to)', node);
    const of = toCode(target.of, locals);
    // Checks the names.
    toCode(target, locals);
    return {
      type: 'bool',
      run(frame) {
        spend(frame, 1);
        try {
          return memberOf(of.run(frame), target.member) !== undefined;
        } catch (cause) {
          ignoreFailure(cause, frame);
          return false;
        }
      },
    };
  }

  function comprehension(node: Extract<Node, { kind: 'call' }>, of: Node, locals: Locals | undefined): Compiled {
    const { name } = node;
    const [variable, ...bodies] = node.args;
    const isMap = name === 'map';
    if (variable?.kind !== 'name' || bodies.length === 0 || bodies.length > (isMap ? 2 : 1))
      return fail(`write list.${name}(item, ${isMap ? 'value' : 'condition'})`, node);
    const source = toCode(of, locals);
    const slot = locals ? locals.slot + 1 : 0;
    const inner: Locals = { name: variable.name, slot, outer: locals };
    const runs = bodies.map((body) => toCode(body, inner).run);
    const body = runs.at(-1) as Evaluate;
    const where = runs.length === 2 ? runs[0] : undefined;
    const items = (frame: Frame): readonly unknown[] => {
      const value = source.run(frame);
      if (Array.isArray(value)) return value;
      if (typeOf(value) !== 'map') throw new EvaluationError(`${name} needs a list or a map, not ${typeOf(value)}`);
      return keysOf(value);
    };
    const each = (frame: Frame, item: unknown, run: Evaluate) => {
      spend(frame, 1);
      frame.locals[slot] = fromProgram(item);
      return run(frame);
    };
    if (name === 'all' || name === 'exists') {
      const deciding = name === 'exists';
      return {
        type: 'bool',
        run(frame) {
          let failure: unknown;
          for (const item of items(frame)) {
            try {
              if (asBool(each(frame, item, body)) === deciding) return deciding;
            } catch (cause) {
              const ignored = ignoreFailure(cause, frame);
              failure ??= ignored;
            }
          }
          if (failure) throw failure;
          return !deciding;
        },
      };
    }
    if (name === 'exists_one')
      return {
        type: 'bool',
        run: (frame) => items(frame).filter((item) => asBool(each(frame, item, body))).length === 1,
      };
    if (name === 'filter')
      return {
        type: 'list',
        run: (frame) =>
          items(frame)
            .filter((item) => asBool(each(frame, item, body)))
            .map(fromProgram),
      };
    return {
      type: 'list',
      run(frame) {
        const all = items(frame);
        const chosen = where ? all.filter((item) => asBool(each(frame, item, where))) : all;
        return chosen.map((item) => each(frame, item, body));
      },
    };
  }

  const { run, type } = toCode(parse(text), undefined);
  return {
    ...{ text, uses, paths: [...paths], calls, type },
    evaluate: (values, budget) => run(new Frame(values, budget)),
  };
}

function toTree(variables: readonly ConditionVariable[]): Declared {
  const tree: Declared = { path: '', members: new Map() };
  for (const variable of variables) {
    let at = tree;
    const parts = variable.name.split('.');
    for (const [position, part] of parts.entries()) {
      const isLast = position === parts.length - 1;
      const path = at.path === '' ? part : `${at.path}.${part}`;
      const known: Declared | undefined = at.members.get(part);
      const next: Declared = {
        path,
        members: known?.members ?? new Map(),
        variable: isLast ? variable : known?.variable,
      };
      at.members.set(part, next);
      at = next;
    }
  }
  return tree;
}

function signatureOf({ name, parameters = [] }: ConditionVariable): string {
  return `${name}(${parameters.map((parameter) => parameter.name).join(', ')})`;
}

function typeOfVariable(variable: ConditionVariable | undefined): string | undefined {
  if (!variable || variable.type === 'any' || variable.type === 'number') return undefined;
  return variable.type;
}

function kindOf(type: string | undefined): string | undefined {
  return type === 'int' || type === 'double' ? 'number' : type;
}

const resultTypes: ReadonlyMap<string, string> = new Map([
  ...['startsWith', 'endsWith', 'contains'].map((name) => [name, 'bool'] as const),
  ...['lowerAscii', 'upperAscii', 'trim', 'join', 'replace', 'string', 'type'].map((name) => [name, 'string'] as const),
  ...['size', 'int', 'getHours', 'getMinutes', 'getDayOfWeek', 'getDate', 'getMonth', 'getFullYear'].map(
    (name) => [name, 'int'] as const,
  ),
  ...([
    ['split', 'list'],
    ['double', 'double'],
    ['timestamp', 'timestamp'],
    ['duration', 'duration'],
  ] as const),
]);

const comparisons: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['<', (order: number) => order < 0],
  ['<=', (order: number) => order <= 0],
  ['>', (order: number) => order > 0],
  ['>=', (order: number) => order >= 0],
]);

function asBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new EvaluationError(`expected true or false, not ${typeOf(value)}`);
}

/** An error costs far more than an operation. */
const failureWork = 100;

/** The failure of a part, which another part may make irrelevant. Throws all other errors. */
function ignoreFailure(cause: unknown, frame: Frame): EvaluationError {
  if (!(cause instanceof EvaluationError)) throw cause;
  spend(frame, failureWork);
  return cause;
}

/** `&&` and `||`: a side that decides alone makes a failure of the other one irrelevant. */
function decideEarly(left: Evaluate, right: Evaluate, deciding: boolean): Evaluate {
  return (frame) => {
    spend(frame, 1);
    let failure: EvaluationError | undefined;
    try {
      if (asBool(left(frame)) === deciding) return deciding;
    } catch (cause) {
      failure = ignoreFailure(cause, frame);
    }
    const decided = asBool(right(frame)) === deciding;
    if (failure && !decided) throw failure;
    return decided === deciding;
  };
}

function isIn(value: unknown, holder: unknown, frame: Frame): boolean {
  if (Array.isArray(holder)) {
    for (const item of holder) {
      spend(frame, 1);
      if (isEqual(value, item, frame)) return true;
    }
    return false;
  }
  if (typeOf(holder) !== 'map') throw new EvaluationError(`in needs a list or a map, not ${typeOf(holder)}`);
  return memberOf(holder, value) !== undefined;
}

function calculate(operator: string, left: unknown, right: unknown, frame: Frame): unknown {
  spend(frame, 1);
  if (typeof left === 'bigint' && typeof right === 'bigint') return calculateInts(operator, left, right);
  if (isNumber(left) && isNumber(right)) return calculateDoubles(operator, Number(left), Number(right));
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') {
    assertLength(left.length + right.length);
    spend(frame, (left.length + right.length) / 64);
    return left + right;
  }
  if (operator === '+' && Array.isArray(left) && Array.isArray(right)) {
    spend(frame, left.length + right.length);
    return [...left, ...right];
  }
  return calculateTimes(operator, left, right);
}

function calculateInts(operator: string, left: bigint, right: bigint): bigint {
  if ((operator === '/' || operator === '%') && right === 0n) throw new EvaluationError('division by zero');
  // Arguments can have more digits than an integer of 64 bits.
  toInt(left);
  toInt(right);
  switch (operator) {
    case '+':
      return toInt(left + right);
    case '-':
      return toInt(left - right);
    case '*':
      return toInt(left * right);
    case '/':
      return toInt(left / right);
    default:
      return left % right;
  }
}

function calculateDoubles(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      throw new EvaluationError('% needs two ints');
  }
}

function calculateTimes(operator: string, left: unknown, right: unknown): Timestamp | Duration {
  const sign = operator === '+' ? 1 : operator === '-' ? -1 : undefined;
  if (sign !== undefined) {
    if (left instanceof Timestamp && right instanceof Duration) return new Timestamp(left.ms + sign * right.ms);
    if (left instanceof Duration && right instanceof Duration) return new Duration(left.ms + sign * right.ms);
    if (sign === 1 && left instanceof Duration && right instanceof Timestamp) return new Timestamp(left.ms + right.ms);
    if (sign === -1 && left instanceof Timestamp && right instanceof Timestamp) return new Duration(left.ms - right.ms);
  }
  throw new EvaluationError(`${operator} has no meaning for ${typeOf(left)} and ${typeOf(right)}`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}
