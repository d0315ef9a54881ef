/**
 * Reduces an English word in lower case to its stem, so that `creating`, `creates` and `created` match `create`. Follows the
 * steps of Porter's algorithm (1980). A stem need not be a word.
 */
export function stemWord(word: string): string {
  if (word.length < 3) return word;
  // A leading `y` is a consonant.
  const isGuarded = word.startsWith('y');
  const guarded = isGuarded ? `Y${word.slice(1)}` : word;
  const stem = steps.reduce((text, step) => step(text), guarded);
  return isGuarded ? `y${stem.slice(1)}` : stem;
}

const consonants = '[^aeiou][^aeiouy]*';
const vowels = '[aeiouy][aeiou]*';
/** At least one, exactly one, and more than one sequence of vowels followed by consonants. */
const hasMeasure = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const hasMeasureOne = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const hasMeasureTwo = new RegExp(`^(?:${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(?:${consonants})?[aeiouy]`);
const endsShort = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`);

const steps: readonly ((word: string) => string)[] = [
  removePlural,
  removePastAndProgressive,
  (word) => (word.endsWith('y') && hasVowel.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word),
  (word) => replaceSuffix(word, derivations, hasMeasure),
  (word) => replaceSuffix(word, adjectives, hasMeasure),
  (word) => replaceSuffix(word, endings, hasMeasureTwo),
  removeFinalE,
];

function removePlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function removePastAndProgressive(word: string): string {
  if (word.endsWith('eed')) return hasMeasure.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const base = /^(.+?)(?:ed|ing)$/.exec(word)?.[1];
  if (base === undefined || !hasVowel.test(base)) return word;
  if (/(?:at|bl|iz)$/.test(base) || endsShort.test(base)) return `${base}e`;
  return /([^aeiouylsz])\1$/.test(base) ? base.slice(0, -1) : base;
}

function removeFinalE(word: string): string {
  const base = word.slice(0, -1);
  if (word.endsWith('ll') && hasMeasureTwo.test(word)) return base;
  if (!word.endsWith('e')) return word;
  return hasMeasureTwo.test(base) || (hasMeasureOne.test(base) && !endsShort.test(base)) ? base : word;
}

/** Replaces the longest suffix of the table if what is left satisfies the condition. */
function replaceSuffix(word: string, table: ReadonlyMap<string, string>, condition: RegExp): string {
  for (let length = Math.min(maxSuffix, word.length - 1); length > 0; length--) {
    const replacement = table.get(word.slice(-length));
    if (replacement === undefined) continue;
    const base = word.slice(0, -length);
    return condition.test(base) ? base + replacement : word;
  }
  return word;
}

const maxSuffix = 7;

const derivations = toTable(
  'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ' +
    'ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log',
);
const adjectives = toTable('icate:ic ative: alize:al iciti:ic ical:ic ful: ness:');
const endings = toTable(
  'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: ize: sion:s tion:t',
);

function toTable(text: string): ReadonlyMap<string, string> {
  return new Map(text.split(' ').map((pair) => pair.split(':') as [string, string]));
}
