import { isRawNumber, mayHaveRawNumbers, parseExactly, type RawNumber, rawNumber } from '../../contract/exact-json.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';

export { hasRawNumbers, isRawNumber, parseExactly, type RawNumber } from '../../contract/exact-json.ts';

/** The JSON texts of values, as they arrived or as they are to be sent. */
const texts = new WeakMap<object, string>();

/** A BigInt as JSON. */
export function toRawNumber(value: bigint): RawNumber | number {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawNumber(String(value));
}

/** The JSON text of a value that arrived; undefined for a value that was created or changed. */
export function jsonTextOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? texts.get(value) : undefined;
}

/** States the JSON text of a value, which is sent instead of the value. */
export function withText<Value>(value: Value, text: string | undefined): Value {
  if (text !== undefined && typeof value === 'object' && value !== null) texts.set(value, text);
  return value;
}

/** Parses a JSON text as `JSON.parse` does, and remembers the text; that of each item, if it is an array. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value))
    for (const [at, [start, end]] of [...itemsOf(text)].entries()) withText(value[at], text.slice(start, end));
  return withText(value, text);
}

/** The value without loss, for code that writes parts of it. The value itself if it was not parsed, or is nested too deeply. */
export function exactly<Value>(value: Value): Value {
  const text = jsonTextOf(value);
  if (text === undefined || !mayHaveRawNumbers(text)) return value;
  try {
    return parseExactly(text) as Value;
  } catch (cause) {
    if (cause instanceof RangeError) return value;
    throw cause;
  }
}

/** Changes a value that was parsed without loss of its numbers. The value for looking has plain numbers, its text has all digits. */
export function rewrite<Value extends object>(value: Value, change: (exact: Value) => Value): Value {
  const exact = exactly(value);
  if (exact === value) return change(value);
  const changed = change(exact);
  return changed === exact ? value : restate(changed);
}

/** A value with plain numbers for looking, whose text has all digits. */
export function restate<Value extends object>(exact: Value): Value {
  return parseJson(toJsonText(exact)) as Value;
}

/** Writes a value as JSON. Results of servers and their parts are written as they arrived: with all digits of their numbers. */
export function toJsonText(value: unknown, levels = exactLevels): string {
  return writeJson(value, levels) ?? 'null';
}

/** How deep in a value parts that arrived are found, unless a caller of `toJsonText` knows better. */
const exactLevels = 6;

/** Parts in longer arrays are not looked for: arrays of that length are data. */
const longArray = 2_000;

function writeJson(value: unknown, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const text = texts.get(value);
  if (text !== undefined) return text;
  if (levels === 0 || isRawNumber(value) || typeof (value as JsonObject).toJSON === 'function')
    return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length > longArray || !isObject(value[0])) return JSON.stringify(value);
    return `[${value.map((item) => writeJson(item, levels - 1) ?? 'null').join(',')}]`;
  }
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    const written = writeJson(member, levels - 1);
    if (written !== undefined) members += `${members && ','}${JSON.stringify(name)}:${written}`;
  }
  return `{${members}}`;
}

/** The text in one line, for transports that separate messages by line ends. Line ends in JSON are only between its tokens. */
export function toLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, ' ') : text;
}

/** The object with some members replaced, added, or removed if undefined. The text of the others stays. */
export function replaceMembers(object: JsonObject, changes: JsonObject): JsonObject {
  const changed: Record<string, unknown> = { ...object, ...changes };
  for (const name in changes) if (changes[name] === undefined) delete changed[name];
  const text = texts.get(object);
  if (text === undefined) return changed;
  const names = Object.keys(changes);
  const added = names
    .filter((name) => changes[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${toJsonText(changes[name])}`);
  if (!names.some((name) => Object.hasOwn(object, name))) {
    const start = text.indexOf('{') + 1;
    const comma = added.length === 0 || Object.keys(object).length === 0 ? '' : ',';
    return withText(changed, `{${added.join(',')}${comma}${text.slice(start)}`);
  }
  const kept = [...membersOf(text)].filter(({ name }) => !names.includes(name));
  return withText(changed, `{${[...added, ...kept.map(({ start, end }) => text.slice(start, end))].join(',')}}`);
}

/** A member of a parsed object, without loss and with its text. */
export function exactMember(object: JsonObject, name: string): unknown {
  const value = memberWithText(object, name);
  if (jsonTextOf(value) !== undefined) return withText(exactly(value), jsonTextOf(value));
  const text = texts.get(object);
  if (typeof value !== 'number' || text === undefined) return value;
  const found = [...membersOf(text)].findLast((member) => member.name === name);
  return found ? parseExactly(text.slice(found.valueStart, found.end)) : value;
}

/** A member of a parsed object as it is, with its text. */
export function memberWithText(object: JsonObject, name: string): unknown {
  const value = object[name];
  const text = texts.get(object);
  if (text === undefined || typeof value !== 'object' || value === null || texts.has(value)) return value;
  const found = [...membersOf(text)].findLast((member) => member.name === name);
  return found ? withText(value, text.slice(found.valueStart, found.end)) : value;
}

/** Names of digits, which JavaScript moves before all others. */
const digitName = /"\d+"\s*:/;

/** Whether JavaScript may write a JSON text otherwise. */
function mayBeRewritten(text: string): boolean {
  return mayHaveRawNumbers(text) || digitName.test(text);
}

/** The texts of the items of a list that arrived, one after the other; undefined if the object has no text. */
export function itemTextsOf(object: JsonObject, name: string): Iterator<string> | undefined {
  const text = texts.get(object);
  return text === undefined ? undefined : itemTextsIn(text, name);
}

function* itemTextsIn(text: string, name: string): Generator<string, undefined> {
  for (const { name: found, valueStart } of membersOf(text)) {
    if (found !== name || text[valueStart] !== '[') continue;
    for (const [start, end] of itemsOf(text, valueStart)) yield text.slice(start, end);
    return undefined;
  }
}

/**
 * Remembers the texts of those members of a parsed object that JavaScript would write otherwise, so that copies of the object keep them.
 * Returns the object, in which such a number is a `RawNumber`.
 */
export function keepMemberTexts(object: JsonObject, text: string | undefined): JsonObject {
  if (text === undefined || !mayBeRewritten(text)) return object;
  let changed: Record<string, unknown> | undefined;
  for (const { name, valueStart, end } of membersOf(text)) {
    const value = object[name];
    const valueText = text.slice(valueStart, end);
    if (!mayBeRewritten(valueText)) continue;
    // The text of another value, if a name occurs twice.
    if (JSON.stringify(value) !== JSON.stringify(JSON.parse(valueText))) continue;
    if (typeof value === 'number') {
      // Programs compute with the size of a resource.
      if (name !== 'size') changed = { ...(changed ?? object), [name]: parseExactly(valueText) };
    } else
      withText(
        value,
        findDuplicate(valueText) === undefined ? copyOf(valueText) : JSON.stringify(parseExactly(valueText)),
      );
  }
  return changed ?? object;
}

/** A part of a text that does not keep the whole text in memory. */
function copyOf(part: string): string {
  return JSON.parse(JSON.stringify(part)) as string;
}

/** The object with its members parsed without loss; the same object if none was parsed. */
export function withExactMembers<Value extends JsonObject>(object: Value): Value {
  const members = Object.entries(object).map(([name, member]) => [name, exactly(member)] as const);
  return members.some(([name, member]) => member !== object[name]) ? (Object.fromEntries(members) as Value) : object;
}

/** Whether the members of two equal objects have the same texts. */
export function haveSameTexts(one: JsonObject, other: JsonObject): boolean {
  return Object.keys(one).every((name) => jsonTextOf(one[name]) === jsonTextOf(other[name]));
}

/** A value inside a parsed object, with its text. */
export function valueWithText(object: JsonObject, ...names: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of names) value = isObject(value) ? memberWithText(value, name) : undefined;
  return value;
}

/**
 * Parses a JSON-RPC message. The texts of its result, params and error are kept, and the values beside them have plain numbers. Most
 * replies are split without a scan: a text between the envelope and the end that is JSON is the result.
 */
export function parseMessage(text: string): unknown {
  const head = envelopeHead.exec(text);
  if (head) {
    const start = head[0].length;
    const end = text.length - (envelopeTail.exec(text.slice(-tailLength))?.[0].length ?? 0);
    const result = parseOrUndefined(text.slice(start, end));
    if (isObject(result)) {
      const message = parseOrUndefined(`${text.slice(0, start)}0${text.slice(end)}`);
      if (isObject(message)) return { ...message, result };
    }
  }
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value)) return [...itemsOf(text)].map(([start, end]) => parseMessage(text.slice(start, end)));
  if (!isObject(value)) return value;
  withText(value, text);
  if (isObject(value.result)) memberWithText(value, 'result');
  else if (mayBeRewritten(text)) for (const name of ['params', 'error']) memberWithText(value, name);
  return value;
}

const envelopeHead =
  /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]{0,200}"|\d{1,20})\s*,\s*){0,2}"result"\s*:\s*(?=\{)/;
const envelopeTail = /(?:\s*,\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]{0,200}"|\d{1,20})){0,2}\s*\}\s*$/;
const tailLength = 600;

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A member in the text of an object. */
class MemberPlace {
  readonly name: string;
  /** Where the name begins. */
  readonly start: number;
  readonly valueStart: number;
  readonly #text: string;
  #end: number | undefined;

  constructor(text: string, start: number) {
    const nameEnd = skipString(text, start);
    this.name = nameIn(text, start, nameEnd);
    this.start = start;
    this.valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    this.#text = text;
  }

  /** Where the value ends. */
  get end(): number {
    this.#end ??= skipValue(this.#text, this.valueStart);
    return this.#end;
  }
}

/** The members in the text of an object, which must be JSON. */
function* membersOf(text: string): Generator<MemberPlace> {
  let at = skipSpace(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const member = new MemberPlace(text, at);
    yield member;
    at = skipSpace(text, skipSpace(text, member.end) + 1);
  }
}

/** The items in the text of an array, as start and end. */
function* itemsOf(text: string, arrayStart = text.indexOf('[')): Generator<[number, number]> {
  let at = skipSpace(text, arrayStart + 1);
  while (at < text.length && text[at] !== ']') {
    const end = skipValue(text, at);
    yield [at, end];
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** The first name that occurs twice in an object of a JSON text: programs disagree about which of the values counts. */
export function findDuplicate(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = skipString(text, at);
        const names = open.at(-1);
        if (isName && names) {
          const name = nameIn(text, at, end);
          if (names.has(name)) return name;
          names.add(name);
          isName = false;
        }
        at = end - 1;
        break;
      }
      case 0x7b: // {
        open.push(new Set());
        isName = true;
        break;
      case 0x5b: // [
        open.push(undefined);
        isName = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        isName = false;
        break;
      case 0x2c: // ,
        isName = open.at(-1) !== undefined;
        break;
    }
  }
  return undefined;
}

function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code === 0x20 || (code >= 0x09 && code <= 0x0d); code = text.charCodeAt(at))
    at++;
  return at;
}

/** The end of the string that starts here. */
function skipString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

/** The end of the value that starts here. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = skipString(text, at) - 1;
        if (depth === 0) return at + 1;
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth === 0) return at;
        if (--depth === 0) return at + 1;
        break;
      case 0x2c: // ,
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        if (depth === 0) return at;
        break;
    }
  }
  return text.length;
}
