import { isRecord } from '../../components/is-record.ts';

/** The limit of the gateway. */
export const maxAppText = 16_000;

/** The text of content blocks; undefined if there is none, if a block is not a text, or if it is too long. */
export function toAppText(content: unknown, structured?: unknown): string | undefined {
  const blocks = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isRecord(block) && block.type === 'text' ? block.text : undefined));
  if (texts.some((text) => typeof text !== 'string')) return undefined;
  const parts = [...texts, ...(isRecord(structured) ? [JSON.stringify(structured, null, 2)] : [])];
  const text = parts.join('\n').trim();
  return text === '' || text.length > maxAppText ? undefined : text;
}
