import { isObject, type JsonObject } from '../../kernel/json.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import { confirm } from './confirm.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Shows a server's sampling request; resolves to true only if the person allows it. */
export async function askSampling(
  terminal: Terminal,
  { server, params }: { readonly server: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<boolean> {
  const { noteColors: colors } = terminal;
  const { systemPrompt, messages, maxTokens } = params;
  const quote = (role: string, text: string) => {
    const shown = toDisplayText(text, { maxLength: 4_000 }).replaceAll('\n', `\n${' '.repeat(12)}`);
    return `  ${colors.dim(oneLine(role).padEnd(10))}${shown}`;
  };
  const lines = ['', colors.bold(`Server '${oneLine(server)}' requests an answer from the model`)];
  if (typeof systemPrompt === 'string') lines.push(quote('system', systemPrompt));
  for (const { role, content } of Array.isArray(messages) ? messages.filter(isObject) : []) {
    lines.push(quote(String(role), textOf(content)));
  }
  if (typeof maxTokens === 'number') lines.push(colors.dim(`  maximum answer length: ${maxTokens} tokens`));
  terminal.note(lines.join('\n'));
  return (
    (await confirm(terminal, '  Send this to the model and return its answer?', { signal, fallback: false })) ?? false
  );
}

/** The text of one or several content blocks; other content is named by its type. */
function textOf(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
  return blocks.map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`)).join('\n');
}
