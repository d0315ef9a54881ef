import { describe, expect, test } from 'vitest';
import { parseExactly } from '../../../kernel/exact-json.ts';
import {
  ConditionError,
  type ConditionVariable,
  compileCondition,
  compileExpression,
  EvaluationError,
  WorkLimitError,
} from './compile.ts';

const variables: readonly ConditionVariable[] = [
  { name: 'call.server', type: 'string' },
  { name: 'call.args', type: 'map' },
  { name: 'labels', type: 'list' },
  { name: 'now', type: 'timestamp' },
  {
    name: 'history.count',
    type: 'int',
    parameters: [
      { name: 'pattern', type: 'string' },
      { name: 'window', type: 'window' },
    ],
  },
];

function evaluate(text: string, args: unknown = {}, left = 10_000): unknown {
  const values = {
    call: { server: 'mail', args },
    labels: ['private'],
    now: new Date('2026-03-29T08:30:00Z'),
    history: { count: (pattern: string, window: string) => (pattern === 'mail/*' && window === '24h' ? 3 : 0) },
  };
  return compileExpression(text, variables).evaluate(values, { left });
}

describe('conditions', () => {
  test.each<[string, unknown]>([
    ["call.server == 'mail' && !call.args.to.endsWith('@example.com')", true],
    ['call.args.amount > 100', true],
    ['call.args.amount + 1 == 251', true],
    ['call.args.price * 2 == 5', true],
    ['7 / 2', 3n],
    ['-7 % 3', -1n],
    ['7.0 / 2', 3.5],
    ["'a' + 'b'", 'ab'],
    ['[1, 2] + [3]', [1n, 2n, 3n]],
    ["'private' in labels", true],
    ["'to' in call.args", true],
    ['2 in call.args.list', true],
    ["has(call.args.to) ? 'yes' : 'no'", 'yes'],
    ['has(call.args.missing.deeper)', false],
    ['call.args.list.all(x, x > 0)', true],
    ['call.args.list.exists(x, x == 3)', true],
    ['call.args.list.exists_one(x, x > 2)', true],
    ['call.args.list.map(x, x * 2)', [2n, 4n, 6n]],
    ['call.args.list.map(x, x > 1, x * 2)', [4n, 6n]],
    ['call.args.list.filter(x, x % 2 == 1)', [1n, 3n]],
    ['call.args.exists(name, name.matches("^am"))', true],
    ['call.args.list.all(x, call.args.list.exists(y, y == x))', true],
    ["size('a😀')", 2n],
    ['size(call.args.list) == 3', true],
    ["{'a': 1, 'b': [2]}['b'][0]", 2n],
    ["call.args['to'] == 'eve@evil.example'", true],
    ['now > timestamp("2026-03-29T00:00:00Z")', true],
    ['now - duration("1h") < now', true],
    ['now.getHours()', 8n],
    ['now.getHours("Europe/Berlin")', 10n],
    ['now.getDayOfWeek()', 0n],
    ["history.count('mail/*', '24h') >= 3", true],
    ['1 == 1.0', true],
    ["call.args.amount == '250'", false],
    ['null == call.args.nothing', true],
    ["r'a\\d' == 'a\\\\d'", true],
    ["'\\u00e9'", 'é'],
    ["'Straße'.upperAscii()", 'STRAßE'],
    ["'a,b'.split(',')", ['a', 'b']],
    ["['a', 'b'].join('-')", 'a-b'],
    ["'a-b'.replace('-', '+')", 'a+b'],
    ["int('12') + int(1.9)", 13n],
    ['true ? 1 : call.args.missing', 1n],
    ['// a comment\n1 < 2', true],
  ])('%s', (text, expected) => {
    const args = { to: 'eve@evil.example', amount: 250, price: 2.5, list: [1, 2, 3], nothing: null };
    expect(evaluate(text, args)).toEqual(expected);
  });

  test('a side that decides alone makes a failure of the other side irrelevant', () => {
    expect(evaluate("call.args.missing == 1 || call.server == 'mail'")).toBe(true);
    expect(evaluate("call.args.missing == 1 && call.server == 'x'")).toBe(false);
    expect(() => evaluate("call.args.missing == 1 && call.server == 'mail'")).toThrow(EvaluationError);
    expect(evaluate('call.args.list.exists(x, x.missing == 1 || x == 2)', { list: [1, 2] })).toBe(true);
  });

  test('integers keep all their digits, and an overflow has no value', () => {
    const args = parseExactly('{"id":9007199254740993,"huge":99999999999999999999999}');
    expect(evaluate('call.args.id == 9007199254740993', args)).toBe(true);
    expect(evaluate('call.args.id == 9007199254740992', args)).toBe(false);
    expect(evaluate('call.args.id + 1', args)).toBe(9007199254740994n);
    expect(() => evaluate('call.args.huge + 1', args)).toThrow('does not fit into 64 bits');
    expect(() => evaluate('9223372036854775807 + 1')).toThrow('does not fit into 64 bits');
    expect(evaluate('call.args.huge > 1', args)).toBe(true);
  });

  test('a condition reaches nothing of the prototypes of values', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length'])
      for (const value of [{}, [], 'text', 1]) {
        expect(() => evaluate(`call.args.value.${name}`, { value })).toThrow(EvaluationError);
        expect(() => evaluate(`call.args.value['${name}']`, { value })).toThrow(EvaluationError);
        expect(evaluate(`has(call.args.value.${name})`, { value })).toBe(false);
      }
    expect(evaluate('call.args.__proto__ == 1', JSON.parse('{"__proto__":1}'))).toBe(true);
    expect(() => evaluate("{'a': 1}.constructor")).toThrow(EvaluationError);
  });

  test('nested comprehensions, long texts and long lists end at the budget, and nothing ignores that', () => {
    const items = Array.from({ length: 2_000 }, (_, at) => at);
    const nested = 'call.args.items.all(a, call.args.items.all(b, a + b >= 0))';
    expect(() => evaluate(nested, { items }, 100_000)).toThrow(WorkLimitError);
    expect(() => evaluate(`${nested} || true`, { items }, 100_000)).toThrow(WorkLimitError);
    expect(() => evaluate(`has(call.args.x) || call.args.items.exists(x, ${nested})`, { items }, 100_000)).toThrow(
      WorkLimitError,
    );
    expect(() => evaluate('call.args.items.exists(x, x.missing == 1)', { items }, 50_000)).toThrow(WorkLimitError);
    expect(() => evaluate('call.args.items.exists(x, has(x.missing.y))', { items }, 50_000)).toThrow(WorkLimitError);
    const text = 'a'.repeat(1_000_000);
    expect(() => evaluate("call.args.text.matches('(a+)+$')", { text: `${text}!` })).toThrow(WorkLimitError);
    expect(() => evaluate('call.args.items.map(x, call.args.text + call.args.text)', { items, text })).toThrow();
    expect(() => evaluate('call.args.items.all(x, x in call.args.items)', { items }, 100_000)).toThrow(WorkLimitError);
    const doubled = "['aaaaaaaa'].map(a, [a + a].map(b, [b + b].map(c, size(c))))";
    expect(evaluate(doubled)).toEqual([[[32n]]]);
  });

  test.each([
    ["cal.server == 'mail'", 'line 1, column 1: unknown variable cal; did you mean call?'],
    ["true &&\n  call.sever == 'x'", 'line 2, column 8: unknown variable call.sever; did you mean call.server?'],
    ['call.args.to.startWith("a")', 'line 1, column 14: unknown function startWith; did you mean startsWith?'],
    ['call.args.to ==', 'line 1, column 16: the condition is incomplete'],
    ["call.server == 'mail", 'line 1, column 16: the text has no closing quote'],
    ["call.server.matches('(')", 'line 1, column 13: invalid pattern'],
    ['call.args.to.matches(call.args.pattern)', 'matches takes one pattern, written as a text'],
    ['call.server == 1', 'string and number are never equal'],
    ['call.server', 'the condition must be true or false, not string'],
    ["history.count('mail/*', 'a day') > 1", "the window of history.count must be a duration such as '24h'"],
    ['history.count(call.server, "1h") > 1', 'the pattern of history.count must be a text'],
    ["history.counts('a', '1h') > 1", 'unknown function history.counts; did you mean history.count?'],
    ['call.args.a = 1', 'unexpected character "="'],
    ['1 + + 2 ==', 'unexpected +'],
    ['('.repeat(200), 'nested more than 100 levels deep'],
    ['foo(1)', 'unknown function foo'],
    ['call.args.list.map(1, 2) == []', 'unknown function map'],
    ['has(call)', 'has takes a member'],
    ["call.server.size('a') == 1", 'size takes 0 arguments, not 1'],
  ])('%s is an error', (text, message) => {
    expect(() => compileCondition(text, variables)).toThrow(ConditionError);
    expect(() => compileCondition(text, variables)).toThrow(message);
  });

  test('a compiled condition names the variables that it uses and the members that it reads', () => {
    const condition = compileCondition(
      "call.server == 'mail' && call.args.to.size() > 1 && history.count('mail/*', '24h') > 2",
      variables,
    );
    expect([...condition.uses]).toEqual(['call.server', 'call.args', 'history.count']);
    expect(condition.paths).toEqual(['call.server', 'call.args.to']);
  });

  test('what a function of a variable throws ends the evaluation', () => {
    const condition = compileCondition("history.count('a', '1h') > 1 || true", variables);
    class NotRead extends Error {}
    const values = {
      history: {
        count() {
          throw new NotRead();
        },
      },
    };
    expect(() => condition.evaluate(values, { left: 100 })).toThrow(NotRead);
  });
});
