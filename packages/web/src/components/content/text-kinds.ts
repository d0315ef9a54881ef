import { parseExactly } from '../../../../contract/exact-json.ts';

// Parsing more than this would block the page; longer texts are shown as plain text.
const maxJson = 2_000_000;
const maxMarkdown = 100_000;

const markdownSigns = /^#{1,6} \S|^ {0,3}[-*+] \S|^ {0,3}\d+\. \S|\*\*\S|^```|`[^`\n]+`|\]\(|^\|.*\|$/m;

/** Parses a JSON object or array; undefined for other texts. */
export function parseJsonText(text: string): unknown {
  if (text.length > maxJson || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Whether a text has the MIME type of Markdown or looks like it. */
export function isMarkdown(text: string, mimeType?: string): boolean {
  if (text.length > maxMarkdown) return false;
  return mimeType?.startsWith('text/markdown') === true || markdownSigns.test(text.slice(0, 5_000));
}
