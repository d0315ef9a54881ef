import type { Message } from '../../api/client.ts';

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** "1.2K". */
export const formatCount = (count: number): string => compact.format(count);

/** The text of a message without reasoning and tool calls. */
export function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
