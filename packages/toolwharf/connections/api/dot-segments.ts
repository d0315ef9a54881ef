const maxDecodings = 5;

/**
 * Whether a segment of the path is `.` or `..`, in any spelling that a URL parser understands, or a server that decodes
 * the path again: `%2e%2e`, `..%2fx`, `%252e%252e`, `..\x` and `..;x`.
 */
export function hasDotSegment(path: string): boolean {
  return decodeAll(path)
    .replaceAll(/[\t\n\r\0]/g, '')
    .split(/[/\\?#]/)
    .some((segment) => /^\.{1,2}(?:;|$)/.test(segment));
}

/** Decodes percent-encoded characters until none is left. Dots and separators are ASCII, so bytes suffice. */
function decodeAll(text: string): string {
  let decoded = text;
  for (let count = 0; count < maxDecodings && decoded.includes('%'); count++)
    decoded = decoded.replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decoded;
}
