import type { ElicitAnswer, QuestionContext, RequestHost } from '../../connections/request-host.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import { type FormField, toFormFields } from './form-field.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Puts what a server asks to the person at the terminal, field by field, and sends nothing they have not agreed to. */
export function createTerminalQuestions(terminal: Terminal): RequestHost {
  const { noteColors: colors } = terminal;

  async function elicit(params: JsonObject, { server, signal }: QuestionContext): Promise<ElicitAnswer> {
    const message = typeof params.message === 'string' ? toDisplayText(params.message, { maxLength: 4_000 }) : '';
    terminal.note(`\n${colors.bold(`Server '${oneLine(server)}' asks`)}\n  ${message.replaceAll('\n', '\n  ')}`);
    return params.mode === 'url' ? askToVisit(params.url, signal) : fillIn(params, server, signal);
  }

  async function askToVisit(url: unknown, signal: AbortSignal): Promise<ElicitAnswer> {
    terminal.note(`  Open this address in a browser, if you trust it:\n  ${colors.cyan(oneLine(String(url)))}`);
    const agreed = await confirm('Go on once you are done there?', signal);
    return { action: agreed === undefined ? 'cancel' : agreed ? 'accept' : 'decline' };
  }

  async function fillIn(params: JsonObject, server: string, signal: AbortSignal): Promise<ElicitAnswer> {
    const fields = toFormFields(params.requestedSchema);
    const content: Record<string, unknown> = {};
    if (fields.length > 0) terminal.note(colors.dim('  Ctrl-D leaves the form without an answer.'));
    for (const field of fields) {
      const answer = await askField(field, signal);
      if (answer === undefined) return { action: 'cancel' };
      if ('value' in answer) content[field.name] = answer.value;
    }
    const agreed = await confirm(fields.length > 0 ? `Send this to '${oneLine(server)}'?` : 'Agree?', signal);
    if (agreed === undefined) return { action: 'cancel' };
    return agreed ? { action: 'accept', content } : { action: 'decline' };
  }

  /** The value, nothing for a field left out, or undefined when the person leaves. */
  async function askField(
    field: FormField,
    signal: AbortSignal,
  ): Promise<{ value: unknown } | Record<string, never> | undefined> {
    for (const [at, { title }] of field.choices.entries()) terminal.note(`    ${at + 1}  ${title}`);
    const rest = field.preset === undefined ? (field.required ? '' : ' (optional)') : ` [${oneLine(field.preset)}]`;
    for (;;) {
      const line = await terminal.ask(`  ${field.label}${colors.dim(rest)}: `, signal);
      if (line === undefined) return undefined;
      const given = line === '' ? (field.preset ?? '') : line;
      if (given === '' && !field.required) return {};
      const reading = given === '' ? { problem: 'an answer is required' } : field.read(given);
      if ('value' in reading) return reading;
      terminal.note(`    ${colors.yellow(reading.problem)}`);
    }
  }

  async function confirm(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    for (;;) {
      const answer = (await terminal.ask(`  ${question} [y/n] `, signal))?.trim().toLowerCase();
      if (answer === undefined) return undefined;
      if (answer === 'y' || answer === 'yes') return true;
      if (answer === 'n' || answer === 'no') return false;
    }
  }

  return { elicit };
}
