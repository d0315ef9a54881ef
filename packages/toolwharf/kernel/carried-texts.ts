import { isObject } from '../../contract/json.ts';
import { exactly, findDuplicate, isRawNumber, jsonTextOf, restate } from './exact-json.ts';

/** A text in a JSON value. */
export interface CarriedText {
  readonly text: string;
  /** The name of the member that has the text; undefined for the name of a member itself. */
  readonly name?: string;
}

type Visit = (carried: CarriedText) => string | undefined;

/** The texts in a value in the order of `replaceTexts`: long numbers and names of members that are no plain words too. */
export function textsOf(value: unknown): readonly CarriedText[] {
  const texts: CarriedText[] = [];
  walk(value, (carried) => {
    texts.push(carried);
    return undefined;
  });
  return texts;
}

/**
 * The value with these texts instead of those of `textsOf`, and with all digits of its numbers. The same object if none differs.
 * Undefined unless there is a text for each.
 */
export function replaceTexts<Value extends object>(value: Value, texts: readonly string[]): Value | undefined {
  let at = 0;
  const replaced = walk(value, ({ text }) => {
    const replacement = texts[at++];
    return replacement === text ? undefined : replacement;
  });
  return at === texts.length ? (replaced as Value) : undefined;
}

/** A value that arrived without members that its parsed form does not show, because a name occurs twice. */
export function withoutDuplicates<Value extends object>(value: Value): Value {
  const text = jsonTextOf(value);
  return text === undefined || findDuplicate(text) === undefined ? value : restate({ ...value });
}

/** The shortest number that can stand for a person or an account. */
const minDigits = 9;
const plainName = /^[A-Za-z_$.-]*$/;

function walk(value: unknown, visit: Visit, name?: string): unknown {
  if (typeof value === 'string') return visit({ text: value, name }) ?? value;
  if (typeof value === 'number' || isRawNumber(value)) {
    const text = isRawNumber(value) ? value.rawJSON : String(value);
    return text.length < minDigits ? value : (visit({ text, name }) ?? value);
  }
  if (Array.isArray(value)) {
    const list = exactly(value);
    const items = list.map((item) => walk(item, visit, name));
    return items.some((item, at) => item !== list[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  const exact = exactly(value);
  let isChanged = false;
  const names = new Set<string>();
  const entries = Object.entries(exact).map(([key, member]): [string, unknown] => {
    const shown = plainName.test(key) ? key : uniqueName(visit({ text: key }) ?? key, names);
    const walked = isOpaque(value, key) ? member : walk(member, visit, key);
    names.add(shown);
    isChanged ||= shown !== key || walked !== member;
    return [shown, walked];
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

/** Two members that are masked alike both stay. */
function uniqueName(name: string, names: ReadonlySet<string>): string {
  for (let number = 2, unique = name; ; number++) {
    if (!names.has(unique)) return unique;
    unique = `${name} (${number})`;
  }
}

/** The base64 of an image, a sound or a file has no texts, and a server reads its own state again. */
function isOpaque({ type, uri, resultType }: Readonly<Record<string, unknown>>, key: string): boolean {
  if (key === 'requestState') return resultType === 'input_required';
  return key === 'data'
    ? type === 'image' || type === 'audio' || type === 'file'
    : key === 'blob' && typeof uri === 'string';
}
