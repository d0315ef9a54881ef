// Control characters JSON leaves alone, what reorders a line, and what nobody sees.
const unseen = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu;

/** The value as JSON, in lines unless told otherwise. What a terminal would obey or not show is escaped: the value is the same. */
export function jsonText(value: unknown, { indent = 2 }: { readonly indent?: number } = {}): string {
  return JSON.stringify(value, null, indent).replace(unseen, (found) => (found === '\n' ? found : escapeOf(found)));
}

function escapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
