import { stemWord } from './stem-word.ts';

/** A word of a text: as it was written, in lower case, and the term under which it is indexed. */
export interface Word {
  readonly text: string;
  readonly term: string;
}

/**
 * Splits a text or an identifier (`getUserById`, `list-files`, `HTTPServer2`) into words without stop words. Accents of Latin letters do
 * not count. Scripts without spaces are split into pairs of characters.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text
    .normalize('NFC')
    .replace(lowerThenUpper, '$1 $2')
    .replace(acronymThenWord, '$1 $2')
    .matchAll(wordPattern)) {
    const [part] = match;
    const word = part.toLowerCase();
    if (unspaced.test(word)) words.push(...toPairs(word).map((pair) => ({ text: pair, term: pair })));
    else if (word.length > 1 && !stopWords.has(word)) words.push({ text: word, term: toTerm(word) });
  }
  return words;
}

const lowerThenUpper = /([\p{Ll}\d])(\p{Lu})/gu;
const acronymThenWord = /(\p{Lu})(\p{Lu}\p{Ll})/gu;
const unspacedScripts = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}';
// Vowels of Hindi and accents of decomposed letters are marks: parts of the word.
const wordPattern = new RegExp(`[${unspacedScripts}]+|(?:[^\\P{L}${unspacedScripts}]\\p{M}*)+|\\d+`, 'gu');
const unspaced = new RegExp(`^[${unspacedScripts}]`, 'u');
const english = /^[a-z]+$/;
const latin = /^[\p{Script=Latin}\p{M}]+$/u;

/** Stemming takes longer than looking a term up, and texts repeat their words. */
const stems = new Map<string, string>();
const maxStems = 20_000;
/** Longer words are data. */
const maxStemmed = 40;

function toTerm(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (word.length > maxStemmed) return word;
  const plain = latin.test(word) ? word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss') : word;
  if (!english.test(plain)) return plain;
  const stem = stemWord(plain);
  if (stems.size >= maxStems) stems.clear();
  stems.set(word, stem);
  return stem;
}

function toPairs(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Words that say nothing about a tool, in descriptions and in questions of models. */
const stopWords = new Set(
  (
    'a about after all also an and any are as at be been before between but by can could do does each for from get give had ' +
    'has have how i if in into is it its just let make may me more most my need no not of on one only or other our please ' +
    'should so some such sure than that the their them then there these they this those to up use used uses using via want ' +
    'was we were what when where which who will with within would you your'
  ).split(' '),
);
