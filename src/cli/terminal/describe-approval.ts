import type { DefinitionChange } from '../../catalog/definition-diff.ts';
import type { ToolAnnotations } from '../../kernel/tool.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Everything a person should know before they say yes, with nothing in it that could deceive the terminal. */
export function describeApproval(request: ApprovalRequest, colors: Terminal['noteColors']): string {
  const { tool, server, originalName, caller, reason, annotations, change } = request;
  const field = (name: string, text: string) => `  ${colors.dim(name.padEnd(10))}${text}`;
  const hints = hintsOf(annotations);
  return [
    '',
    colors.bold('A tool wants to run'),
    field('tool', `${colors.cyan(oneLine(tool))}${originalName === tool ? '' : `  (${oneLine(originalName)})`}`),
    ...(server === undefined ? [] : [field('server', oneLine(server))]),
    // Whoever sits here and calls it knows that themselves.
    ...(caller.kind === 'person' ? [] : [field('for', oneLine(caller.name ?? caller.id))]),
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

/** One change of a definition, old above new. */
export function changeLines({ path, kind, before, after }: DefinitionChange, colors: Terminal['noteColors']): string[] {
  const show = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return [
    `    ${oneLine(path)}  ${colors.dim(kind)}`,
    ...(before === undefined ? [] : [`      ${colors.red(`- ${show(before)}`)}`]),
    ...(after === undefined ? [] : [`      ${colors.green(`+ ${show(after)}`)}`]),
  ];
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

function indented(text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(12)}`);
}
