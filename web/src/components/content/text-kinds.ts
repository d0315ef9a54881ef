// Reading more than this as JSON or Markdown would be felt; as plain text it can be read all the same.
const maxJson = 2_000_000;
const maxMarkdown = 100_000;

const markdownSigns = /^#{1,6} \S|^ {0,3}[-*+] \S|^ {0,3}\d+\. \S|\*\*\S|^```|`[^`\n]+`|\]\(|^\|.*\|$/m;

/** The object or array that a text is the JSON of; undefined for other texts. */
export function parseJsonText(text: string): unknown {
  if (text.length > maxJson || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is worth rendering: it is called Markdown, or its beginning looks like it. */
export function isMarkdown(text: string, mimeType?: string): boolean {
  if (text.length > maxMarkdown) return false;
  return mimeType?.startsWith('text/markdown') === true || markdownSigns.test(text.slice(0, 5_000));
}
