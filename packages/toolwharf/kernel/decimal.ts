import { isObject } from '../../contract/json.ts';
import { isRawNumber, parseExactly, type RawNumber } from './exact-json.ts';

/** The exact value of a JSON number: `digits × 10^exponent`, without zeros at the end of `digits`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The most digits, and the largest exponent, of a number that is computed with. */
const maxDigits = 500;

/** The value of a number; undefined for one that is too large or too long to compute with. */
export function toDecimal(number: number | RawNumber): Decimal | undefined {
  return parseDecimal(isRawNumber(number) ? number.rawJSON : JSON.stringify(number));
}

/** The value of a JSON number; undefined for any other text, and for one that is too large or too long to compute with. */
export function parseDecimal(text: string): Decimal | undefined {
  const number = readDigits(text);
  return number && { digits: BigInt(number.digits), exponent: number.exponent };
}

/** The same with the digits as text: a BigInt takes much longer to make. */
function readDigits(text: string): { readonly digits: string; readonly exponent: number } | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return { digits: '0', exponent: 0 };
  const exponent = Number(power) - fraction.length + digits.length - significant.length;
  if (significant.length > maxDigits || Math.abs(exponent) > maxDigits) return undefined;
  return { digits: `${sign}${significant}`, exponent };
}

/** Less than, equal to or greater than 0. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const [left, right] = align(one, other);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function isMultiple(value: Decimal, divisor: Decimal): boolean {
  const [left, right] = align(value, divisor);
  return right !== 0n && left % right === 0n;
}

/** Whether JavaScript's number of the same text has another value. */
export function isInexact(number: RawNumber): boolean {
  // Up to 15 digits have an exact value.
  if (/^-?[\d.]{1,16}(?:[eE][+-]?\d{1,2})?$/.test(number.rawJSON) && !/^-?\d{16}/.test(number.rawJSON)) return false;
  const double = Number(number.rawJSON);
  if (!Number.isFinite(double)) return true;
  const exact = readDigits(number.rawJSON);
  // JavaScript writes no more digits.
  if (!exact || exact.digits.length > maxDoubleDigits + 1) return true;
  const rounded = readDigits(JSON.stringify(double));
  return exact.digits !== rounded?.digits || exact.exponent !== rounded.exponent;
}

const maxDoubleDigits = 17;

/** The number as a text that is equal for equal values, such as 1 for 1.0. */
export function numberText(number: number | RawNumber): string {
  if (!isRawNumber(number)) return JSON.stringify(number === 0 ? 0 : number);
  if (!isInexact(number)) return numberText(Number(number.rawJSON));
  const decimal = readDigits(number.rawJSON);
  if (!decimal) return number.rawJSON;
  const { digits, exponent } = decimal;
  return exponent >= 0 && exponent < maxDigits ? `${digits}${'0'.repeat(exponent)}` : `${digits}e${exponent}`;
}

/** Parses a JSON text without loss: integers that JavaScript's numbers cannot hold are BigInts. Other numbers are rounded. */
export function parseJsonText(text: string): unknown {
  return toProgramValue(parseExactly(text));
}

/**
 * A value for programs: numbers without an exact value in JavaScript are BigInts if they are integers, and rounded otherwise. The same value
 * if it has none.
 */
export function toProgramValue(value: unknown): unknown {
  if (isRawNumber(value)) return toProgramNumber(value);
  if (Array.isArray(value)) {
    const items = value.map(toProgramValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, toProgramValue(member)] as const);
  return members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
}

function toProgramNumber(number: RawNumber): number | bigint {
  // Written as a number, an integer above 10^21 would become a fraction such as 1e+30 for its receiver.
  if (/^-?\d+$/.test(number.rawJSON) && number.rawJSON !== '-0') return BigInt(number.rawJSON);
  const decimal = isInexact(number) ? toDecimal(number) : undefined;
  return decimal && decimal.exponent >= 0 ? decimal.digits * 10n ** BigInt(decimal.exponent) : Number(number.rawJSON);
}

function align(one: Decimal, other: Decimal): [bigint, bigint] {
  const lowest = Math.min(one.exponent, other.exponent);
  return [one.digits * 10n ** BigInt(one.exponent - lowest), other.digits * 10n ** BigInt(other.exponent - lowest)];
}
