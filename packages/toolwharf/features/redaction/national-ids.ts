import type { Rule } from './detect.ts';

/** A rule for the identifiers that a country gives its people. */
interface NationalId extends Rule {
  readonly country: string;
}

type Accepts = (id: string) => boolean;

/** An identifier with a form that other numbers rarely have. Separators are removed before its checksum is computed. */
function formatted(country: string, name: string, form: string, isValid: Accepts): NationalId {
  return {
    ...{ country, name: `${country.toLowerCase()}-${name}`, class: 'national-id' },
    pattern: new RegExp(`(?<![\\w.])(?<![0-9]-)${form}(?![\\w])(?!\\.\\d)`, 'gi'),
    accepts: (text) => isValid(text.replaceAll(/[ ./-]/g, '').toUpperCase()),
  };
}

/** A plain number, which is an identifier only after its name. */
function labelled(country: string, name: string, label: string, form: string, isValid: Accepts): NationalId {
  return {
    ...{ country, name: `${country.toLowerCase()}-${name}`, class: 'national-id', group: 1 },
    pattern: new RegExp(
      `(?<![A-Za-z])(?:${label})(?:[ _-]?(?:no|nr|number|nummer))?\\.?["']{0,2}[ \\t]{0,2}[:=#]?[ \\t]{0,2}(?:is )?["']?(${form})(?!\\d)`,
      'gid',
    ),
    accepts: (text) => isValid(text.replaceAll(/[ ./-]/g, '')),
  };
}

const isSsn: Accepts = (id) => !/^(?:000|666|9)|^...00|0000$/.test(id) && !['078051120', '219099999'].includes(id);

export const nationalIds: readonly NationalId[] = [
  formatted('US', 'ssn', '\\d{3}([- ])\\d{2}\\1\\d{4}', isSsn),
  labelled('US', 'ssn', 'ssn|social security', '\\d{9}', isSsn),
  formatted(
    'GB',
    'nino',
    '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]',
    (id) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(id),
  ),
  formatted('DE', 'tax-id', '[1-9]\\d( ?)\\d{3}\\1\\d{3}\\1\\d{3}', isGermanTaxId),
  formatted('FR', 'insee', '[1-478] ?\\d{2} ?\\d{2} ?(?:\\d{2}|2[AB]) ?\\d{3} ?\\d{3} ?\\d{2}', isFrenchInsee),
  formatted('ES', 'dni', '(?:\\d{8}|[XYZ][- ]?\\d{7})[- ]?[A-Z]', isSpanishDni),
  formatted(
    'IT',
    'codice-fiscale',
    '[A-Z]{6}[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]',
    isItalianCode,
  ),
  labelled('NL', 'bsn', 'bsn|burgerservice|sofi|citizen service', '\\d{9}|\\d{4}[. ]\\d{2}[. ]\\d{3}', isDutchBsn),
  formatted('BE', 'national-number', '\\d{2}\\.\\d{2}\\.\\d{2}-\\d{3}\\.\\d{2}', isBelgianNumber),
  labelled('BE', 'national-number', 'rijksregister|registre national|nrn|rrn', '\\d{11}', isBelgianNumber),
  formatted('CH', 'ahv', '756\\.?\\d{4}\\.?\\d{4}\\.?\\d{2}', isSwissAhv),
  labelled('PL', 'pesel', 'pesel', '\\d{11}', isPolishPesel),
];

/** One digit occurs twice or three times among the first ten, and the last one is a check digit of ISO 7064. */
function isGermanTaxId(id: string): boolean {
  const counts = [...'0123456789'].map((digit) => id.slice(0, 10).split(digit).length - 1);
  const repeated = counts.filter((count) => count > 1);
  if (repeated.length !== 1 || (repeated[0] ?? 0) > 3) return false;
  let product = 10;
  for (const digit of id.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return Number(id[10]) === (11 - product) % 10;
}

function isFrenchInsee(id: string): boolean {
  const month = Number(id.slice(3, 5));
  if (!((month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50)) return false;
  const number = id.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return /^\d+$/.test(number) && Number(id.slice(13)) === 97 - Number(BigInt(number) % 97n);
}

function isSpanishDni(id: string): boolean {
  const number = Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))));
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23] === id.at(-1);
}

const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isItalianCode(id: string): boolean {
  const sum = [...id.slice(0, 15)].reduce((total, character, at) => {
    const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
    return total + (at % 2 === 0 ? (oddValues[value] ?? 0) : value);
  }, 0);
  return id.charCodeAt(15) - 65 === sum % 26;
}

function isDutchBsn(id: string): boolean {
  const sum = [...id].reduce((total, digit, at) => total + Number(digit) * (at === 8 ? -1 : 9 - at), 0);
  return sum % 11 === 0 && Number(id) > 0;
}

function isBelgianNumber(id: string): boolean {
  const [number, check] = [id.slice(0, 9), Number(id.slice(9))];
  // People born since 2000 have a 2 before their number.
  return [number, `2${number}`].some((text) => 97 - (Number(text) % 97) === check);
}

function isSwissAhv(id: string): boolean {
  const sum = [...id.slice(0, 12)].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return Number(id[12]) === (10 - (sum % 10)) % 10;
}

function isPolishPesel(id: string): boolean {
  const weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];
  return weights.reduce((total, weight, at) => total + weight * Number(id[at]), 0) % 10 === 0;
}
