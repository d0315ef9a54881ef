// Control, bidirectional and invisible characters that JSON.stringify does not escape.
const unseen = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu;

/** The value as JSON. Characters that a terminal would interpret or hide are escaped, which does not change the value. */
export function jsonText(value: unknown, { indent = 2 }: { readonly indent?: number } = {}): string {
  return JSON.stringify(value, null, indent).replace(unseen, (found) => (found === '\n' ? found : escapeOf(found)));
}

function escapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
