import { parseExactly } from '../../../../contract/exact-json.ts';
import { isRecord } from '../is-record.ts';

const maxCopyLength = 1_000_000;

/** Leaves out text that repeats the structured content, as MCP asks servers to send it for older clients. */
export function omitDuplicateText<Block extends Readonly<Record<string, unknown>>>({
  content,
  structuredContent,
}: {
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
}): readonly Block[] {
  if (structuredContent === undefined) return content;
  // Structured content is an object, so servers wrap a list as its only member.
  const members = isRecord(structuredContent) ? Object.values(structuredContent) : [];
  const copies = new Set([structuredContent, ...(members.length === 1 ? members : [])].map(canonicalJson));
  return content.filter(({ type, text }) => {
    if (type !== 'text' || typeof text !== 'string' || text.length > maxCopyLength) return true;
    try {
      return !copies.has(canonicalJson(parseExactly(text)));
    } catch {
      return true;
    }
  });
}

/** Whether the structured content only wraps a text that the content has too: the text is easier to read. */
export function repeatsText({ content, structuredContent }: Parameters<typeof omitDuplicateText>[0]): boolean {
  const [only, ...others] = isRecord(structuredContent) ? Object.values(structuredContent) : [];
  return typeof only === 'string' && others.length === 0 && content.some(({ text }) => text === only);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
