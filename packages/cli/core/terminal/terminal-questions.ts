import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ElicitAnswer, QuestionContext, RequestHost } from '../../../toolwharf/connections/request-host.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { confirm } from './confirm.ts';
import { type FormField, toFormFields } from './form-field.ts';
import { oneLine } from './format.ts';
import type { Terminal } from './terminal.ts';

/** Prompts for the answers to servers' elicitation requests; nothing is sent before the person confirms it. */
export function createTerminalQuestions(terminal: Terminal): Required<Pick<RequestHost, 'elicit'>> {
  const { noteColors: colors } = terminal;

  async function elicit(params: JsonObject, { server, signal }: QuestionContext): Promise<ElicitAnswer> {
    const message = typeof params.message === 'string' ? toDisplayText(params.message, { maxLength: 4_000 }) : '';
    terminal.note(`\n${colors.bold(`Server '${oneLine(server)}' asks`)}\n  ${message.replaceAll('\n', '\n  ')}`);
    return params.mode === 'url' ? askToVisit(params.url, signal) : fillIn(params, server, signal);
  }

  async function askToVisit(url: unknown, signal: AbortSignal): Promise<ElicitAnswer> {
    terminal.note(`  Open this URL in a browser if you trust it:\n  ${colors.cyan(oneLine(String(url)))}`);
    return toAnswer(await confirm(terminal, '  Continue? Answer y when you are done there.', { signal }));
  }

  async function fillIn(params: JsonObject, server: string, signal: AbortSignal): Promise<ElicitAnswer> {
    const fields = toFormFields(params.requestedSchema);
    const content: Record<string, unknown> = {};
    if (fields.length > 0) terminal.note(colors.dim('  Press Ctrl-D to cancel.'));
    for (const field of fields) {
      const answer = await askField(field, signal);
      if (answer === undefined) return { action: 'cancel' };
      if ('value' in answer) content[field.name] = answer.value;
    }
    const question = fields.length > 0 ? `  Send this to '${oneLine(server)}'?` : '  Agree?';
    return toAnswer(await confirm(terminal, question, { signal }), content);
  }

  /** The value, nothing for an optional field left empty, or undefined if the person cancels. */
  async function askField(
    field: FormField,
    signal: AbortSignal,
  ): Promise<{ value: unknown } | Record<string, never> | undefined> {
    for (const [at, { title }] of field.choices.entries()) terminal.note(`    ${at + 1}  ${title}`);
    const hint = field.preset === undefined ? (field.required ? '' : ' (optional)') : ` [${oneLine(field.preset)}]`;
    for (;;) {
      const line = await terminal.ask(`  ${field.label}${colors.dim(hint)}: `, signal);
      if (line === undefined) return undefined;
      const given = line === '' ? (field.preset ?? '') : line;
      if (given === '' && !field.required) return {};
      const parsed = given === '' ? { problem: 'required' } : field.parse(given);
      if ('value' in parsed) return parsed;
      terminal.note(`    ${colors.yellow(parsed.problem)}`);
    }
  }

  return { elicit };
}

function toAnswer(isConfirmed: boolean | undefined, content?: Record<string, unknown>): ElicitAnswer {
  if (isConfirmed === undefined) return { action: 'cancel' };
  if (!isConfirmed) return { action: 'decline' };
  return content ? { action: 'accept', content } : { action: 'accept' };
}

interface SamplingRequest {
  readonly server: string;
  readonly params: JsonObject;
}

/** Shows a server's sampling request; resolves to true only if the person allows it. */
export async function askSampling(terminal: Terminal, request: SamplingRequest, signal: AbortSignal): Promise<boolean> {
  showSampling(terminal, request);
  return (
    (await confirm(terminal, '  Send this to the model and return its answer?', { signal, fallback: false })) ?? false
  );
}

/** Shows a server's sampling request and asks the person for the reply; an empty one declines. */
export async function askReply(
  terminal: Terminal,
  request: SamplingRequest,
  signal: AbortSignal,
): Promise<ElicitAnswer> {
  showSampling(terminal, request);
  const text = await terminal.ask('  Your reply (empty to decline): ', signal);
  if (text === undefined) return { action: 'cancel' };
  return text.trim() === '' ? { action: 'decline' } : { action: 'accept', content: { text } };
}

function showSampling(terminal: Terminal, { server, params }: SamplingRequest): void {
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
}

/** The text of one or several content blocks; other content is named by its type. */
function textOf(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
  return blocks.map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`)).join('\n');
}
