// Letters of other scripts that look like Latin ones, small and capital.
const confusables = new Map(
  Object.entries({
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    у: 'y',
    х: 'x',
    і: 'i',
    ј: 'j',
    ѕ: 's',
    ԁ: 'd',
    һ: 'h',
    к: 'k',
    м: 'm',
    т: 't',
    в: 'b',
    н: 'h',
    ӏ: 'l',
    ԛ: 'q',
    ԝ: 'w',
    ѵ: 'v',
    г: 'r',
    п: 'n',
    α: 'a',
    ε: 'e',
    ο: 'o',
    ρ: 'p',
    ν: 'v',
    ι: 'i',
    κ: 'k',
    υ: 'u',
    τ: 't',
    χ: 'x',
    η: 'n',
    γ: 'y',
    ı: 'i',
    ɡ: 'g',
    ɑ: 'a',
    օ: 'o',
    ս: 'u',
    հ: 'h',
    ո: 'n',
  }),
);
const invisible = /[\p{Cf}\p{Mn}\u115f\u1160\u3164\uffa0]/gu;

/** Whether a name mixes Latin letters with look-alikes of other scripts. */
export function mixesScripts(name: string): boolean {
  const hasLatin = /[a-z]/i.test(name.normalize('NFKC'));
  const hasOther = [...name.toLowerCase()].some((character) => confusables.has(character));
  return hasLatin && hasOther;
}

/** Whether a text has words that are written with look-alikes of Latin letters. */
export function hasMixedWords(text: string): boolean {
  if (!/[^ -~\s]/.test(text)) return false;
  const words = text.match(/\p{L}+/gu) ?? [];
  return words.some((word) => /[a-z]/i.test(word) && [...word.toLowerCase()].some((letter) => confusables.has(letter)));
}

/** The text with Latin letters instead of their look-alikes. */
export function toLatin(text: string): string {
  return [...text].map((letter) => confusables.get(letter.toLowerCase()) ?? letter).join('');
}

export interface LookAlike {
  readonly name: string;
  /** The names differ in look-alike letters; otherwise in separators and capitals. */
  readonly isDisguised: boolean;
}

/** An index of tool names that finds look-alikes. */
export interface NameIndex {
  /** Finds another name that this one could be mistaken for. Equal names do not count: exposed names include the server. */
  lookAlikeOf(name: string): LookAlike | undefined;
}

/** An index of tool names for finding look-alikes. */
export function indexNames(names: Iterable<string>): NameIndex {
  const index = createNameIndex();
  for (const name of names) index.add(name);
  return index;
}

/** An empty index of tool names. */
export function createNameIndex(): NameIndex & { add(name: string): void } {
  const bySkeleton = new Map<string, Set<string>>();
  return {
    add(name) {
      const key = skeleton(name);
      bySkeleton.set(key, (bySkeleton.get(key) ?? new Set()).add(name));
    },
    lookAlikeOf(name) {
      const candidates = [...(bySkeleton.get(skeleton(name)) ?? [])]
        .filter((other) => other !== name)
        .map((other) => ({ name: other, isDisguised: plain(other) !== plain(name) }))
        // The name with the foreign letters is the disguise.
        .filter((other) => !other.isDisguised || !isAscii(name) || isAscii(other.name));
      return candidates.find(({ isDisguised }) => isDisguised) ?? candidates[0];
    },
  };
}

/** The name without differences that are easily overlooked. */
function skeleton(name: string): string {
  const letters = [...plain(name.normalize('NFKD').replace(invisible, ''))];
  return letters
    .map((letter) => confusables.get(letter) ?? letter)
    .join('')
    .replaceAll('0', 'o')
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** The name without separators and capitals. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.:/-]+/g, '');
}

function isAscii(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name);
}
