import { once } from 'node:events';
import { readAuditPublicKey } from '../../storage/audit/audit-key.ts';
import { auditKeyFile } from '../../storage/audit/open-audited.ts';
import { verifyAnchor } from '../../storage/audit/verify-anchor.ts';
import type { AuditFinding } from '../../storage/ports/audit.ts';
import { openJournal } from '../backend/open-journal.ts';
import { locateStore } from '../backend/open-store.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { count, jsonText, oneLine } from '../terminal/format.ts';

export interface AuditOptions {
  readonly database?: string;
}

export interface VerifyOptions extends AuditOptions, JsonOption {
  /** A file of signed checkpoints. */
  readonly anchor?: string;
  /** PEM file of the audit key, private or public. */
  readonly key?: string;
}

/** `toolwharf audit verify`: checks the hash chain of the journal, and compares it with signed checkpoints. */
export async function auditVerify(options: VerifyOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const { colors } = terminal;
  await using journal = await openJournal(context, options);
  const publicKey =
    options.anchor === undefined
      ? undefined
      : await readAuditPublicKey(options.key ?? (await findKeyFile(options, context)));
  terminal.status('Verifying the journal …');
  const findings: AuditFinding[] = [];
  async function* verify(): AsyncGenerator<AuditFinding> {
    yield* journal.verify();
    if (options.anchor !== undefined && publicKey) yield* verifyAnchor(journal, options.anchor, publicKey);
  }
  for await (const finding of verify()) {
    signal.throwIfAborted();
    findings.push(finding);
    const { seq, kind, detail } = finding;
    if (!options.json) terminal.print(`${colors.red('✖')} ${seq}  ${kind}  ${oneLine(detail)}`);
  }
  terminal.status();
  if (options.json) terminal.print(jsonText({ ok: findings.length === 0, findings }));
  else if (findings.length === 0) terminal.print(colors.green('The journal is intact.'));
  else terminal.print(colors.red(`${count(findings.length, 'problem')} found in the journal`));
  return findings.length === 0 ? exitCodes.ok : exitCodes.problem;
}

/** `toolwharf audit export`: prints the journal as JSON lines, oldest first. */
export async function auditExport(
  options: AuditOptions & { readonly after?: string; readonly limit?: string },
  context: CommandContext,
): Promise<number> {
  const { terminal, stdout, signal } = context;
  const after = parseInteger('--after', options.after, 0);
  const limit = parseInteger('--limit', options.limit, 1);
  await using journal = await openJournal(context, options);
  let entries = 0;
  let last = after;
  for await (const entry of journal.export({ after, limit })) {
    signal.throwIfAborted();
    if (stdout.destroyed || stdout.errored) break;
    terminal.print(jsonText(entry, { indent: 0 }));
    // The journal may be larger than memory: wait for a slow reader.
    if (stdout.writableNeedDrain) {
      await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]).catch(() => {});
    }
    entries++;
    last = entry.seq;
  }
  const next = last === undefined ? '' : `; continue with --after ${last}`;
  terminal.note(terminal.noteColors.dim(`${count(entries, 'entry', 'entries')}${next}`));
  return exitCodes.ok;
}

async function findKeyFile(options: AuditOptions, context: CommandContext): Promise<string> {
  const { dataDir, audit } = await locateStore(context, options);
  return auditKeyFile({ dataDir, ...audit });
}

function parseInteger(option: string, text: string | undefined, minimum: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= minimum) return number;
  throw new UsageError(`${option} must be a whole number, ${minimum} or more`);
}
