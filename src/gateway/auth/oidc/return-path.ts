const maxLength = 500;
const base = 'http://gateway.invalid';

/** The page of the app to open after a sign-in. Anything but a path of the app becomes `/`: never another site. */
export function toReturnPath(asked: string | null): string {
  if (asked === null || asked.length > maxLength || !asked.startsWith('/')) return '/';
  const url = URL.parse(asked, base);
  // The parser knows what browsers make of `//`, `/\`, tabs and line breaks.
  if (!url || url.origin !== base || url.username !== '') return '/';
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') || /^\/(?:api|mcp|a2a|\.well-known)(?:[/?#]|$)/.test(path) ? '/' : path;
}
