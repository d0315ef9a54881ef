import { en } from '../../../web/src/text/en.ts';

const letters = 'áƀçðéƒĝĥíĵķļɱñóþǫŕšţúṽŵẋýž';
/** Values in a text stand between these two and stay as they are. */
const [begin, end] = ['\ue000', '\ue001'];

/** The English catalog in letters that no English text contains, with words that are 40 % longer. */
export default function pseudo(grammar) {
  const rich = (words, ...elements) =>
    grammar.rich(
      words.map(toPseudo),
      ...elements.map((element) => (typeof element === 'string' ? toPseudo(element) : element)),
    );
  return translate(en({ ...grammar, rich }));
}

function translate(value) {
  if (typeof value === 'string') return toPseudo(value);
  if (typeof value === 'function') return (...values) => translate(value(...values.map(protect)));
  if (typeof value !== 'object' || value === null || '$$typeof' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translate(inner)]));
}

/** Marks a value of a text, so that it is not translated; the label of an element is. */
function protect(value) {
  if (typeof value === 'string') return `${begin}${value}${end}`;
  if (typeof value === 'function') return (label) => value(toPseudo(label));
  return Array.isArray(value) ? value.map(protect) : value;
}

function toPseudo(text) {
  return text
    .split(/(\ue000[^\ue001]*\ue001)/)
    .map((part) => (part.startsWith(begin) ? part.slice(1, -1) : part.replaceAll(/[a-z]+/gi, toLongerWord)))
    .join('');
}

function toLongerWord(word) {
  const replaced = [...word.toLowerCase()].map((letter) => letters[letter.charCodeAt(0) - 97] ?? letter).join('');
  return replaced + 'ö'.repeat(Math.ceil(word.length * 0.4));
}
