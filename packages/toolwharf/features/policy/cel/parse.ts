import { ConditionError } from './errors.ts';
import { readTokens, type Token } from './tokens.ts';

/** A part of a condition. */
export type Node =
  | { readonly kind: 'literal'; readonly at: number; readonly value: bigint | number | string | boolean | null }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | { readonly kind: 'select'; readonly at: number; readonly of: Node; readonly member: string }
  | { readonly kind: 'index'; readonly at: number; readonly of: Node; readonly index: Node }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly of?: Node;
      readonly name: string;
      readonly args: readonly Node[];
    }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly at: number; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: 'unary'; readonly at: number; readonly operator: '!' | '-'; readonly operand: Node }
  | {
      readonly kind: 'binary';
      readonly at: number;
      readonly operator: string;
      readonly left: Node;
      readonly right: Node;
    }
  | {
      readonly kind: 'choice';
      readonly at: number;
      readonly when: Node;
      readonly then: Node;
      readonly otherwise: Node;
    };

const maxLength = 10_000;
const maxDepth = 100;

const levels: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Parses a condition. Throws a `ConditionError` with the place of the first mistake. */
export function parse(text: string): Node {
  if (text.length > maxLength) throw new ConditionError(`the condition has more than ${maxLength} characters`, text, 0);
  const tokens = readTokens(text);
  let position = 0;
  let depth = 0;

  const peek = (): Token => tokens[position] ?? (tokens[tokens.length - 1] as Token);
  const fail = (message: string, token = peek()): never => {
    throw new ConditionError(message, text, token.at);
  };
  function accept(symbol: string): boolean {
    const { kind, text: written } = peek();
    if ((kind !== 'symbol' && kind !== 'name') || written !== symbol) return false;
    position++;
    return true;
  }
  function expect(symbol: string): void {
    if (!accept(symbol)) fail(`expected ${symbol}, found ${peek().text}`);
  }

  function parseExpression(): Node {
    if (++depth > maxDepth) fail(`the condition is nested more than ${maxDepth} levels deep`);
    const { at } = peek();
    const when = parseBinary(0);
    let node = when;
    if (accept('?')) {
      const then = parseExpression();
      expect(':');
      node = { kind: 'choice', at, when, then, otherwise: parseExpression() };
    }
    depth--;
    return node;
  }

  function parseBinary(level: number): Node {
    const operators = levels[level];
    if (!operators) return parseUnary();
    let left = parseBinary(level + 1);
    for (;;) {
      const { at, text: operator } = peek();
      if (!operators.some(accept)) return left;
      // Each operator makes the tree deeper.
      if (++chained > maxOperators) fail(`the condition has more than ${maxOperators} operators`);
      left = { kind: 'binary', at, operator, left, right: parseBinary(level + 1) };
    }
  }

  function parseUnary(): Node {
    const token = peek();
    if (!accept('!') && !accept('-')) return parseMember();
    if (++depth > maxDepth) fail(`the condition is nested more than ${maxDepth} levels deep`, token);
    const operator = token.text as '!' | '-';
    const operand = parseUnary();
    depth--;
    if (
      operator === '-' &&
      operand.kind === 'literal' &&
      (typeof operand.value === 'bigint' || typeof operand.value === 'number')
    )
      return { ...operand, at: token.at, value: -operand.value };
    return { kind: 'unary', at: token.at, operator, operand };
  }

  function parseMember(): Node {
    let node = parsePrimary();
    for (;;) {
      const { at } = peek();
      if (accept('.')) {
        const token = peek();
        if (token.kind !== 'name') fail(`expected the name of a member, found ${token.text}`);
        position++;
        if (accept('(')) node = { kind: 'call', at: token.at, of: node, name: token.text, args: parseItems(')') };
        else node = { kind: 'select', at: token.at, of: node, member: token.text };
      } else if (accept('[')) {
        const index = parseExpression();
        expect(']');
        node = { kind: 'index', at, of: node, index };
      } else return node;
      if (++chained > maxOperators) fail(`the condition has more than ${maxOperators} operators`);
    }
  }

  function parseItems(end: string): Node[] {
    const items: Node[] = [];
    while (!accept(end)) {
      items.push(parseExpression());
      if (accept(end)) break;
      expect(',');
    }
    return items;
  }

  function parsePrimary(): Node {
    const token = peek();
    const { at, kind, value, text: written } = token;
    if (kind === 'end') fail('the condition is incomplete');
    position++;
    if (kind === 'int' || kind === 'double' || kind === 'string') return { kind: 'literal', at, value: value ?? '' };
    if (kind === 'name') {
      if (written === 'true' || written === 'false') return { kind: 'literal', at, value: written === 'true' };
      if (written === 'null') return { kind: 'literal', at, value: null };
      if (written === 'in') fail('expected a value before in', token);
      if (accept('(')) return { kind: 'call', at, name: written, args: parseItems(')') };
      return { kind: 'name', at, name: written };
    }
    if (written === '(') {
      const node = parseExpression();
      expect(')');
      return node;
    }
    if (written === '[') return { kind: 'list', at, items: parseItems(']') };
    if (written === '{') return { kind: 'map', at, entries: parseEntries() };
    return fail(`unexpected ${written}`, token);
  }

  function parseEntries(): [Node, Node][] {
    const entries: [Node, Node][] = [];
    while (!accept('}')) {
      const key = parseExpression();
      expect(':');
      entries.push([key, parseExpression()]);
      if (accept('}')) break;
      expect(',');
    }
    return entries;
  }

  let chained = 0;
  const node = parseExpression();
  if (peek().kind !== 'end') fail(`unexpected ${peek().text}`);
  return node;
}

const maxOperators = 500;
