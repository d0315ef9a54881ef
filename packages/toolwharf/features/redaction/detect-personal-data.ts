import type { Rule } from './detect.ts';
import { nationalIds } from './national-ids.ts';

/** The lengths of IBANs by country. */
const ibanLengths: Readonly<Record<string, number>> = {
  ...{ AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BI: 27, BR: 29, BY: 28, CH: 21, CR: 22 },
  ...{ CY: 28, CZ: 24, DE: 22, DJ: 27, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FK: 18, FO: 18, FR: 27, GB: 22 },
  ...{ GE: 22, GI: 23, GL: 18, GR: 27, GT: 28, HN: 28, HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30 },
  ...{ KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20, LU: 20, LV: 21, LY: 25, MC: 27, MD: 24, ME: 22, MK: 19, MN: 20 },
  ...{ MR: 27, MT: 31, MU: 30, NI: 28, NL: 18, NO: 15, OM: 23, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29, RO: 24, RS: 22 },
  ...{ RU: 33, SA: 24, SC: 31, SD: 18, SE: 24, SI: 19, SK: 24, SM: 27, SO: 23, ST: 25, SV: 28, TL: 23, TN: 24, TR: 26 },
  ...{ UA: 29, VA: 22, VG: 24, XK: 20, YE: 30 },
};

export function isIban(text: string): boolean {
  const iban = text.replaceAll(/[ -]/g, '').toUpperCase();
  if (ibanLengths[iban.slice(0, 2)] !== iban.length) return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** The first digits and lengths of the cards of the large networks. */
const cardForms =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))\d{2,4}\d{8,12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:6011|65\d\d|64[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/;

export function isCard(text: string): boolean {
  const digits = text.replaceAll(/[ -]/g, '');
  return (
    cardForms.test(digits) &&
    (digits[0] !== '5' || digits.length === 16) &&
    passesLuhn(digits) &&
    !/^(\d)\1+$/.test(digits)
  );
}

export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isPhone(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length >= 8 && digits.length <= 15 && !/^(\d)\1+$/.test(digits.slice(2));
}

function isLabelledPhone(text: string): boolean {
  return text.replaceAll(/\D/g, '').length <= 15 && !/^\d{4}-\d\d-\d\d$/.test(text);
}

const personalRules: readonly Rule[] = [
  {
    ...{ name: 'email', class: 'email', keywords: ['@', '%40'] },
    // The name is looked for backwards from its @, so that other words cost nothing.
    pattern:
      /(?<=(?<![\p{L}\p{N}._%+'-])(?<start>[\p{L}\p{N}][\p{L}\p{N}._%+'-]{0,63}))(?:@|%40)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})?\.){1,8}(?:\p{L}{2,24}|xn--[a-z0-9-]{2,40})(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])/dgu,
    // A password before the host of a URL.
    accepts: (_, before) => !/:\/\/[^\s/]*:$/.test(before),
  },
  {
    ...{ name: 'email-quoted', class: 'email', keywords: ['"@'] },
    pattern: /"[^"\s@]{1,64}"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g,
  },
  {
    ...{ name: 'iban', class: 'iban' },
    pattern: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])/g,
    accepts: isIban,
  },
  {
    ...{ name: 'card', class: 'card' },
    pattern: /(?<![\w.-])(?<!\d[ ,])\d{4}(?:[ -]?\d{2,6}){2,4}(?![\d])(?!\.\d)/g,
    accepts: isCard,
  },
  {
    ...{ name: 'phone-international', class: 'phone', keywords: ['+'] },
    pattern: /(?<![\w+.])\+[1-9](?:[ ()./-]{0,2}\d){7,14}(?!\d)/g,
    accepts: isPhone,
  },
  {
    ...{ name: 'phone-north-america', class: 'phone' },
    pattern: /(?<![\w.+-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[ .-]\d{4}(?![\w-])(?!\.\d)/g,
  },
  {
    ...{ name: 'phone-national', class: 'phone' },
    pattern:
      /(?<![\w.+/-])(?:0[1-9](?:[ .-]\d{2}){4}|0(?:1\d{3}|7\d{3}) \d{3} ?\d{3}|020 \d{4} \d{4}|0[1-9]\d{1,3}[ /-]\d{6,8})(?![\w-])(?!\.\d)/g,
  },
  {
    ...{ name: 'phone-labelled', class: 'phone', group: 1 },
    pattern:
      /(?<![A-Za-z])(?:tel(?:efono?|éfono|efoon)?|phone|mobile|cell|fax|mobil|handy|whatsapp|sms)(?: ?(?:no|nr|number|nummer))?\.?["']{0,2}[ \t]?(?:[:=]\s{0,2}|[ \t]?)["']?(\+?\(?\d(?:[ ()./-]{0,2}\d){6,14})(?!\d)/dgi,
    accepts: isLabelledPhone,
  },
  {
    ...{ name: 'phone-called', class: 'phone', group: 1 },
    pattern:
      /(?<![A-Za-z])(?:call|ring|dial|text|reach|contact|answering|messages?)(?: (?:me|us|him|her|them|you))?(?: (?:at|on|to|under))? (\(?\d{2,4}[ ()/-]{1,2}\d(?:[ ()/-]{0,2}\d){4,10})(?![\d:%])/dgi,
    accepts: isLabelledPhone,
  },
  {
    ...{ name: 'phone-before-label', class: 'phone', group: 1 },
    pattern:
      /(?<![\w.,/+-])(\(?\d{2,4}[ ()/-]{1,2}\d(?:[ ()/-]{0,2}\d){4,10})[ -](?:\((?=[a-z]+\)))?(?:office|fax|mobile|cell|home|work)(?![A-Za-z])/dgi,
    accepts: isLabelledPhone,
  },
];

/** The rules for personal data, with the national identifiers of some countries. */
export function personalDataRules(countries: readonly string[]): readonly Rule[] {
  return [...personalRules, ...nationalIds.filter(({ country }) => countries.includes(country))];
}
