/** A member of an object, by its offsets in the text. */
interface Member {
  readonly key: string;
  readonly keyAt: number;
  readonly valueAt: number;
  readonly end: number;
}

interface ObjectSpan {
  readonly start: number;
  /** The offset of the closing brace. */
  readonly close: number;
  readonly members: readonly Member[];
  readonly trailingComma: boolean;
}

/** The text is not JSON with comments, or a value on the path is not an object. */
export class JsonEditError extends Error {
  override readonly name: string = 'JsonEditError';
}

/**
 * Sets the value at a path of keys and keeps every other byte: comments, order, indentation, line ends. Missing objects on
 * the path are created.
 */
export function setInJson(text: string, path: readonly [string, ...string[]], value: unknown): string {
  const style = styleOf(text);
  const [bom, body] = text.startsWith('\ufeff') ? ['\ufeff', text.slice(1)] : ['', text];
  if (body.trim() === '') return `${bom}${render(nest(path, value), '', style)}${style.eol}`;
  const root = skipTrivia(body, 0);
  if (body[root] !== '{') throw problem(body, root, 'expected an object');
  const end = skipTrivia(body, readObject(body, root).close + 1);
  if (end < body.length) throw problem(body, end, 'expected the end of the file');
  return bom + setIn(body, root, path, value, style);
}

interface Style {
  readonly indent: string;
  readonly eol: string;
}

function setIn(text: string, at: number, path: readonly string[], value: unknown, style: Style): string {
  const [key = '', ...rest] = path;
  const object = readObject(text, at);
  // JSON.parse uses the last of several members with the same key.
  const member = object.members.findLast((candidate) => candidate.key === key);
  if (!member) return insert(text, object, key, nest(rest, value), style);
  if (rest.length === 0) {
    const rendered = render(value, indentAt(text, member.keyAt), style);
    return text.slice(0, member.valueAt) + rendered + text.slice(member.end);
  }
  if (text[member.valueAt] !== '{') throw problem(text, member.valueAt, `'${key}' must be an object`);
  return setIn(text, member.valueAt, rest, value, style);
}

function insert(text: string, object: ObjectSpan, key: string, value: unknown, style: Style): string {
  const last = object.members.at(-1);
  const outer = indentAt(text, object.start);
  const inner = last && isFirstOnLine(text, last.keyAt) ? indentAt(text, last.keyAt) : outer + style.indent;
  const member = `${style.eol}${inner}${JSON.stringify(key)}: ${render(value, inner, style)}`;
  const after = last?.end ?? object.start + 1;
  // A comment after the last value stays where it is.
  const between = text.slice(after, object.close).trimEnd();
  const comma = last && !object.trailingComma ? ',' : '';
  const head = text.slice(0, after) + comma + between;
  return `${head}${member}${style.eol}${outer}${text.slice(object.close)}`;
}

function readObject(text: string, start: number): ObjectSpan {
  const members: Member[] = [];
  let trailingComma = false;
  let at = skipTrivia(text, start + 1);
  while (text[at] !== '}') {
    if (members.length > 0 && !trailingComma) throw problem(text, at, "expected ',' or '}'");
    const keyAt = at;
    const keyEnd = readString(text, keyAt);
    at = skipTrivia(text, keyEnd);
    if (text[at] !== ':') throw problem(text, at, "expected ':'");
    const valueAt = skipTrivia(text, at + 1);
    const end = readValue(text, valueAt);
    members.push({ key: JSON.parse(text.slice(keyAt, keyEnd)) as string, keyAt, valueAt, end });
    at = skipTrivia(text, end);
    trailingComma = text[at] === ',';
    if (trailingComma) at = skipTrivia(text, at + 1);
  }
  return { start, close: at, members, trailingComma };
}

/** Returns the offset after the value. */
function readValue(text: string, at: number): number {
  if (text[at] === '"') return readString(text, at);
  if (text[at] === '{') return readObject(text, at).close + 1;
  if (text[at] === '[') return readArray(text, at);
  const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
  literal.lastIndex = at;
  if (!literal.test(text)) throw problem(text, at, 'expected a value');
  return literal.lastIndex;
}

function readArray(text: string, start: number): number {
  let at = skipTrivia(text, start + 1);
  for (let first = true; text[at] !== ']'; first = false) {
    if (!first) {
      if (text[at] !== ',') throw problem(text, at, "expected ',' or ']'");
      at = skipTrivia(text, at + 1);
      if (text[at] === ']') break;
    }
    at = skipTrivia(text, readValue(text, at));
  }
  return at + 1;
}

function readString(text: string, at: number): number {
  const string = /"(?:[^"\\\n\r]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
  string.lastIndex = at;
  if (!string.test(text)) throw problem(text, at, 'expected a string in double quotes');
  return string.lastIndex;
}

/** Returns the offset after white space and comments. */
function skipTrivia(text: string, at: number): number {
  const trivia = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  trivia.lastIndex = at;
  trivia.test(text);
  return trivia.lastIndex;
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function render(value: unknown, indent: string, style: Style): string {
  return JSON.stringify(value, null, style.indent).replaceAll('\n', `${style.eol}${indent}`);
}

function styleOf(text: string): Style {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function isFirstOnLine(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
}

function problem(text: string, at: number, message: string): JsonEditError {
  const before = text.slice(0, at).split('\n');
  return new JsonEditError(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`);
}
