import { isObject, type JsonObject } from '../../kernel/json.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Shows the person what a server wants of their model. Only a clear yes lets it be asked. */
export async function askSampling(
  terminal: Terminal,
  { server, params }: { readonly server: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<boolean> {
  const { noteColors: colors } = terminal;
  const { systemPrompt, messages, maxTokens } = params;
  const said = Array.isArray(messages) ? messages.filter(isObject) : [];
  const lines = [
    '',
    colors.bold(`Server '${oneLine(server)}' wants to ask the model`),
    ...(typeof systemPrompt === 'string' ? [quoted('system', systemPrompt)] : []),
    ...said.map(({ role, content }) => quoted(String(role), textOf(content))),
    ...(typeof maxTokens === 'number' ? [colors.dim(`  for an answer of at most ${maxTokens} tokens`)] : []),
  ];
  terminal.note(lines.join('\n'));
  for (;;) {
    const line = (await terminal.ask('  Ask the model, and send the server its answer? [y/N] ', signal))?.trim();
    if (line === undefined || /^(?:n|no)?$/i.test(line)) return false;
    if (/^(?:y|yes)$/i.test(line)) return true;
  }

  function quoted(role: string, text: string): string {
    const shown = toDisplayText(text, { maxLength: 4_000 }).replaceAll('\n', `\n${' '.repeat(12)}`);
    return `  ${colors.dim(oneLine(role).padEnd(10))}${shown}`;
  }
}

/** One block or several; what is no text is named. */
function textOf(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
  return blocks.map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`)).join('\n');
}
