import { once } from 'node:events';
import type { AuditFinding } from '../../storage/ports/audit.ts';
import { openStore } from '../backend/open-store.ts';
import { storeOf } from '../backend/store-of.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { jsonText } from '../terminal/json-text.ts';
import { count, oneLine } from '../terminal/layout.ts';
import { UsageError } from '../usage-error.ts';

export interface AuditOptions {
  readonly database?: string;
}

/** `toolwharf audit verify`: whether the journal is as it was written. */
export async function auditVerify(
  options: AuditOptions & { readonly json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { terminal, signal } = context;
  const { storage } = await openStore(await storeOf(context, options));
  await using store = storage;
  terminal.status('reading the journal …');
  const findings: AuditFinding[] = [];
  for await (const finding of store.audit.verify()) {
    signal.throwIfAborted();
    findings.push(finding);
    if (!options.json) {
      const { colors } = terminal;
      terminal.print(`${colors.red('✖')} ${finding.seq}  ${finding.kind}  ${oneLine(finding.detail)}`);
    }
  }
  terminal.status();
  if (options.json) terminal.print(jsonText({ ok: findings.length === 0, findings }));
  else if (findings.length === 0) terminal.print(terminal.colors.green('The journal is as it was written.'));
  else terminal.print(terminal.colors.red(`${count(findings.length, 'place')} in the journal changed`));
  return findings.length === 0 ? exitCodes.ok : exitCodes.problem;
}

/** `toolwharf audit export`: the journal as JSON lines, oldest first. */
export async function auditExport(
  options: AuditOptions & { readonly after?: string; readonly limit?: string },
  context: CommandContext,
): Promise<number> {
  const { terminal, signal } = context;
  const after = wholeNumber('--after', options.after, 0);
  const limit = wholeNumber('--limit', options.limit, 1);
  const { storage } = await openStore(await storeOf(context, options));
  await using store = storage;
  let entries = 0;
  let last = after;
  for await (const entry of store.audit.export({ ...(after !== undefined && { after }), ...(limit && { limit }) })) {
    signal.throwIfAborted();
    if (process.stdout.destroyed || process.stdout.errored) break;
    terminal.print(jsonText(entry, { indent: 0 }));
    // A journal may be larger than memory: it is read no faster than it is taken.
    if (process.stdout.writableNeedDrain) {
      await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => {});
    }
    entries++;
    last = entry.seq;
  }
  const more = last === undefined ? '' : `; go on later with --after ${last}`;
  terminal.note(terminal.noteColors.dim(`${count(entries, 'entry').replace('entrys', 'entries')}${more}`));
  return exitCodes.ok;
}

function wholeNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(`${option} must be a whole number, ${least} or more`);
}
