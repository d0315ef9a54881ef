import { once } from 'node:events';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { auditKeyFile, readAuditPublicKey } from '../../../gateway/core/storage/audit/open-audited.ts';
import type { TrackedState } from '../../../gateway/core/storage/audit/tracked-state.ts';
import { type AnchoredJournal, journalOf, verifyAnchor } from '../../../gateway/core/storage/audit/verify-anchor.ts';
import { itemTextsOf, withText } from '../../../toolwharf/kernel/exact-json.ts';
import type { AuditEntry, AuditFinding, ExportOptions } from '../../../toolwharf/storage/ports/audit.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { hasMasterKey, locateStore, type OpenStoreOptions, openStore, requireStore } from '../client/open-store.ts';
import { reportLocal, selectGateway } from '../client/select-gateway.ts';
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

const maxPage = 500;

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
    if (options.anchor === undefined || !publicKey) return;
    try {
      yield* verifyAnchor(journal, options.anchor, publicKey);
    } catch (cause) {
      if (findings.length === 0) throw cause;
      yield { seq: 0, kind: 'missing', detail: `The checkpoints could not be compared: ${messageOf(cause)}` };
    }
  }
  if (options.anchor !== undefined && journal.uncheckable)
    terminal.say('Without the right master key, stored servers and model providers are not checked');
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

/** The journal of the running gateway, or of the store in this process. */
interface OpenJournal extends AnchoredJournal, AsyncDisposable {
  verify(): AsyncIterable<AuditFinding>;
}

/** Opens the journal. `--database` names a store, so no gateway is used. */
async function openJournal(context: CommandContext, options: { readonly database?: string }): Promise<OpenJournal> {
  const gateway = options.database === undefined ? await selectGateway(context) : undefined;
  if (gateway) return openGatewayJournal(gateway);
  const location = await requireStore(context, options);
  reportLocal(options.database === undefined ? location.dataDir : 'the database', context);
  const { storage, isKeyless } = await openReadOnly(location);
  return {
    ...journalOf(storage),
    uncheckable: isKeyless ? ['server', 'provider'] : undefined,
    verify: storage.audit.verify,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

/** Opens the store for reading. Only signed servers and providers need the master key, which may be lost. */
async function openReadOnly(location: OpenStoreOptions): Promise<{ storage: Storage; isKeyless: boolean }> {
  const options = { ...location, isAudited: false };
  try {
    if (await hasMasterKey(location)) return { ...(await openStore(options)), isKeyless: false };
  } catch (cause) {
    // A key that is malformed, readable by others, or that of another store.
    if (!(cause instanceof ToolwharfError) || cause.code !== 'CONFIG_INVALID') throw cause;
  }
  return { ...(await openStore({ ...options, isKeyless: true })), isKeyless: true };
}

function openGatewayJournal(gateway: GatewayClient): OpenJournal {
  const readEnds = () => gateway.getAuditState();
  return {
    ends: readEnds,
    async readState(): Promise<TrackedState> {
      return new Map(Object.entries((await readEnds()).state));
    },
    async *verify() {
      yield* (await gateway.verifyAudit()).findings;
    },
    async *export({ after, limit = Number.POSITIVE_INFINITY }: ExportOptions = {}) {
      let left = limit;
      for (let next = after ?? 0; left > 0; ) {
        const query = { after: next, limit: Math.min(left, maxPage) };
        const page = (await gateway.listAuditEntries({ query })) as Page;
        const texts = itemTextsOf(page as object as JsonObject, 'entries');
        for (const entry of page.entries) yield withText(entry, texts?.next().value);
        left -= page.entries.length;
        if (page.next === undefined) return;
        next = page.next;
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly next?: number;
}
