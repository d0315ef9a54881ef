import type { Message, Usage } from '../../api/client.ts';
import { formatNumber } from '../../text/formats.ts';

/** "1.2K". */
export const formatCount = (count: number): string =>
  formatNumber(count, { notation: 'compact', maximumFractionDigits: 1 });

/** "1.2K tokens in, 56 out". */
export function describeTokens({ inputTokens, outputTokens, estimated }: Usage): string {
  const tokens = `${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out`;
  return estimated ? `about ${tokens}` : tokens;
}

/** "$0.0042": two digits of a small amount, cents of others. */
export function formatCost(usd: number, isEstimated = false): string {
  const digits = usd >= 1 || usd === 0 ? {} : { maximumSignificantDigits: 2 };
  const cost = formatNumber(usd, { style: 'currency', currency: 'USD', ...digits });
  return isEstimated ? `about ${cost}` : cost;
}

/** The text of a message without reasoning and tool calls. */
export function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** Markdown as it is read aloud: without marks, and links as their text. */
export function spokenText(markdown: string): string {
  return markdown
    .replaceAll(/```[^\n]*\n?/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+\.)[ \t]+/gm, '')
    .replaceAll(/(\*\*|__|~~|`)(.+?)\1/g, '$2')
    .replaceAll(/(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])/g, '$1');
}
