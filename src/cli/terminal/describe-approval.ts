import type { DefinitionChange } from '../../catalog/definition-diff.ts';
import type { ToolAnnotations } from '../../kernel/tool.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import { oneLine } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Describes a call that needs approval. Control and invisible characters are shown as text. */
export function describeApproval(request: ApprovalRequest, colors: Terminal['noteColors']): string {
  const { tool, server, originalName, caller, reason, annotations, change = [] } = request;
  const field = (name: string, text: string) => `  ${colors.dim(name.padEnd(10))}${text}`;
  const lines = [
    '',
    colors.bold('Approval required'),
    field('tool', `${colors.cyan(oneLine(tool))}${originalName === tool ? '' : `  (${oneLine(originalName)})`}`),
  ];
  if (server !== undefined) lines.push(field('server', oneLine(server)));
  // A person who calls the tool from this terminal knows who the caller is.
  if (caller.kind !== 'person') lines.push(field('caller', oneLine(caller.name ?? caller.id)));
  lines.push(field('reason', oneLine(reason)));
  const claims = claimsOf(annotations);
  if (claims) lines.push(field('claims', `${claims}  ${colors.dim('(according to the server)')}`));
  lines.push(field('arguments', argumentsText(request).replaceAll('\n', `\n${' '.repeat(12)}`)));
  if (change.length > 0) {
    lines.push(`  ${colors.yellow('The definition changed since it was accepted:')}`);
    lines.push(...change.flatMap((one) => changeLines(one, colors)));
  }
  return lines.join('\n');
}

/** One change of a tool definition, the old value above the new one. */
export function changeLines({ path, kind, before, after }: DefinitionChange, colors: Terminal['noteColors']): string[] {
  const show = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  const lines = [`    ${oneLine(path)}  ${colors.dim(kind)}`];
  if (before !== undefined) lines.push(`      ${colors.red(`- ${show(before)}`)}`);
  if (after !== undefined) lines.push(`      ${colors.green(`+ ${show(after)}`)}`);
  return lines;
}

function argumentsText({ arguments: args }: ApprovalRequest): string {
  return Object.keys(args).length === 0 ? 'none' : toDisplayText(JSON.stringify(args, null, 2), { maxLength: 10_000 });
}

function claimsOf({ readOnlyHint, destructiveHint, idempotentHint }: ToolAnnotations = {}): string {
  const claims = [readOnlyHint && 'read-only', destructiveHint && 'may be destructive', idempotentHint && 'idempotent'];
  return claims.filter(Boolean).join(', ');
}
