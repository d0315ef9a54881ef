import type { Conversation, Message, MessagePart, ToolCallPart } from '../../../contract/records/conversation.ts';
import type { ContentBlock } from '../../../toolwharf/kernel/tool.ts';

/** A conversation as Markdown, with its tool calls. Secrets that Toolwharf redacted in results stay redacted. */
export function toMarkdown(conversation: Conversation, branch: readonly Message[]): string {
  const { title, createdAt, usage, costUsd } = conversation;
  const tokens = `${usage.inputTokens} input tokens, ${usage.outputTokens} output tokens`;
  const facts = [createdAt, tokens, ...(costUsd === undefined ? [] : [`${formatUsd(costUsd)}`])];
  const messages = branch.map((message) => `## ${headingOf(message)}\n\n${message.parts.map(toBlock).join('')}`);
  return `# ${oneLine(title)}\n\n${facts.join(' · ')}\n\n${messages.join('')}`;
}

/** A conversation with all branches as JSON, without the data that only providers read. */
export function toExportedJson(conversation: Conversation, messages: readonly Message[]): string {
  const exported = messages.map((message) => ({ ...message, parts: message.parts.map(withoutMetadata) }));
  return `${JSON.stringify({ format: 'toolwharf-conversation', version: 1, conversation, messages: exported }, null, 2)}\n`;
}

/** `$0.0042`: as many digits as a small amount needs. */
export function formatUsd(amount: number): string {
  return `$${amount.toFixed(amount === 0 || amount >= 1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(amount))))}`;
}

function withoutMetadata(part: MessagePart): MessagePart {
  if (!('metadata' in part)) return part;
  const { metadata: _, ...rest } = part;
  return rest;
}

function headingOf({ role, model, status }: Message): string {
  if (role === 'user') return 'You';
  const state = status === 'complete' ? '' : ` (${status})`;
  return `${model === undefined ? 'Assistant' : oneLine(model)}${state}`;
}

function toBlock(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return `${part.text.trim()}\n\n`;
    case 'reasoning':
      return part.text.trim() === '' ? '' : `${part.text.trim().replaceAll(/^/gm, '> ')}\n\n`;
    case 'attachment':
      return `*Attached: ${oneLine(part.name)} (${part.mediaType}, ${part.sizeBytes} bytes)*\n\n`;
    case 'app':
      return `*${part.kind === 'context' ? 'Context' : 'Message'} of the app of server ${oneLine(part.server)}:*\n\n${fence(part.text)}`;
    case 'tool-call':
      return toCallBlock(part);
    case 'step':
      return '';
  }
}

function toCallBlock({ server, originalName, name, arguments: args, status, result, rule }: ToolCallPart): string {
  const tool = [server, originalName ?? name].filter((item) => item !== undefined).map(oneLine);
  const byRule = rule === undefined ? '' : ', allowed by a rule';
  const called = `**Tool call: ${tool.join(' / ')}** (${status}${byRule})\n\n${fence(JSON.stringify(args, null, 2), 'json')}`;
  return result ? `${called}${fence(resultText(result))}` : called;
}

function resultText({ content, structuredContent, cut }: NonNullable<ToolCallPart['result']>): string {
  const blocks = (content as ContentBlock[]).map(({ type, text }) => (typeof text === 'string' ? text : `[${type}]`));
  if (blocks.length === 0 && structuredContent !== undefined) blocks.push(JSON.stringify(structuredContent, null, 2));
  return [...blocks, ...(cut ? ['[shortened]'] : [])].join('\n');
}

/** A code block whose fence is longer than any in the text, so that the text cannot end it. */
function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}\n\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
