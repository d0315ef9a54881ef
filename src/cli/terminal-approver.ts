import type { DefinitionChange } from '../catalog/definition-diff.ts';
import type { ToolAnnotations } from '../kernel/tool.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../policy/approval.ts';
import { toDisplayText } from '../policy/display-text.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

export interface TerminalApproverOptions {
  /** Where "always" is kept, for the person to know. */
  readonly rulesFile: string;
  /** Whether the configuration asks about the tool each time: then "always" would be no true answer. */
  readonly isAskedAlways: (request: ApprovalRequest) => boolean;
}

/** Asks the person at the terminal about each call. Only a clear yes is a yes. */
export function createTerminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  const { noteColors: colors } = terminal;
  return {
    async ask(request, signal): Promise<ApprovalAnswer> {
      terminal.note(describe(request, colors));
      const isOffered = !options.isAskedAlways(request);
      const choice = isOffered ? ['y = once, a = always this tool, n = no', '[y/a/N]'] : ['y = yes, n = no', '[y/N]'];
      for (;;) {
        const line = await terminal.ask(`Run it? ${colors.dim(choice[0] ?? '')} ${choice[1]} `, signal);
        const answer = line?.trim().toLowerCase();
        if (answer === 'y' || answer === 'yes') return { kind: 'allow', scope: 'once' };
        if (isOffered && (answer === 'a' || answer === 'always')) {
          terminal.note(colors.dim(`Remembered in ${options.rulesFile}; remove it there to be asked again.`));
          return { kind: 'allow', scope: 'tool' };
        }
        if (answer === undefined || answer === '' || answer === 'n' || answer === 'no') return { kind: 'deny' };
      }
    },
  };
}

function describe(request: ApprovalRequest, colors: Terminal['noteColors']): string {
  const { tool, server, originalName, reason, annotations, change } = request;
  const field = (name: string, text: string) => `  ${colors.dim(name.padEnd(10))}${text}`;
  const hints = hintsOf(annotations);
  return [
    '',
    colors.bold('A tool wants to run'),
    field('tool', `${colors.cyan(oneLine(tool))}${originalName === tool ? '' : `  (${oneLine(originalName)})`}`),
    ...(server === undefined ? [] : [field('server', oneLine(server))]),
    field('because', oneLine(reason)),
    ...(hints ? [field('it says', `${hints}  ${colors.dim("(the server's own word)")}`)] : []),
    field('arguments', indented(argumentsText(request))),
    ...(change && change.length > 0
      ? [
          `  ${colors.yellow('Its definition changed since it was accepted:')}`,
          ...change.flatMap((one) => changeLines(one, colors)),
        ]
      : []),
  ].join('\n');
}

function argumentsText({ arguments: args }: ApprovalRequest): string {
  return Object.keys(args).length === 0 ? 'none' : toDisplayText(JSON.stringify(args, null, 2), { maxLength: 10_000 });
}

function hintsOf({ readOnlyHint, destructiveHint, idempotentHint }: ToolAnnotations = {}): string {
  return [
    ...(readOnlyHint === true ? ['only reads'] : []),
    ...(destructiveHint === true ? ['may destroy'] : []),
    ...(idempotentHint === true ? ['can be repeated'] : []),
  ].join(', ');
}

function changeLines({ path, kind, before, after }: DefinitionChange, colors: Terminal['noteColors']): string[] {
  const show = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return [
    `    ${oneLine(path)}  ${colors.dim(kind)}`,
    ...(before === undefined ? [] : [`      ${colors.red(`- ${show(before)}`)}`]),
    ...(after === undefined ? [] : [`      ${colors.green(`+ ${show(after)}`)}`]),
  ];
}

function indented(text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(12)}`);
}
