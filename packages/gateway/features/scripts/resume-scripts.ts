import { messageOf, ToolwharfError, toToolwharfError } from '../../../contract/errors.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { runCodeName } from '../../../toolwharf/features/scripts/code-tools.ts';
import { runCodeEntry } from '../../../toolwharf/features/scripts/run-code-entry.ts';
import { endingFor } from '../../../toolwharf/invocation/call-ending.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { toolIdOf } from '../../../toolwharf/kernel/tool-id.ts';
import { createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { assertActive } from '../../core/auth/admit-caller.ts';
import type { AppHosts } from '../../core/calls/app-hosts.ts';
import { createStartWait } from '../../core/servers/start-wait.ts';

export interface ResumeScriptsPorts {
  readonly storage: Pick<Storage, 'audit' | 'journal' | 'keys' | 'users' | 'roles'>;
  readonly toolbox: Pick<InternalToolbox, 'start' | 'catalog' | 'config' | 'isListed' | 'servers' | 'on'>;
  readonly hosts: Pick<AppHosts, 'create'>;
  readonly log: Log;
  /** Resolves when the saved scripts and profiles are known. */
  readonly ready: Promise<void>;
}

/** How often to look for scripts of processes that are gone. */
const intervalMs = 1_000;
/** How long to wait for servers that are still starting, so that their tools are known. */
const startWaitMs = 30_000;

/** Continues the scripts that clients started in processes that are gone. The storage has made this process their owner. */
export function resumeScripts(ports: ResumeScriptsPorts): Disposable {
  const { storage, toolbox, hosts, log, ready } = ports;
  const started = createStartWait(toolbox, startWaitMs);
  let isLooking = false;

  async function look(): Promise<void> {
    await ready;
    const scripts = storage.audit.takeScripts();
    if (scripts.length > 0) await started();
    for (const script of scripts) await resume(script).catch((cause) => end(script, toToolwharfError(cause)));
  }

  async function resume(record: CallRecord): Promise<void> {
    const { id, caller, script, parent } = record;
    // The chat continues the scripts of its assistants, with their answers.
    if (!script || parent?.kind === 'answer') return;
    const { profile, calledAs, continued = 0 } = script;
    await assertActive({ caller }, storage);
    const policy = () => {
      const found = toolbox.config.profiles.find(({ name }) => name === profile);
      if (!found) throw new ToolwharfError('CALL_DENIED', `The profile '${profile}' was removed`);
      return { profile, approval: found.approval, mayUse: createVisibility(found, toolbox.isListed).hasTool };
    };
    toolbox.start(findScript(record), record.arguments, {
      id,
      caller,
      calledAs,
      profile,
      resumed: { ...record, script: { ...script, continued: continued + 1 } },
      host: { ...hosts.create({ id, caller }), mayRepeat: true },
      policy: policy(),
      async refreshPolicy() {
        await assertActive({ caller }, storage);
        return policy();
      },
    });
    log.info('script.resumed', 'A script of a process that is gone goes on', { call: id });
  }

  /** The tool whose call is continued: `run_code`, or a chain with the same script. */
  function findScript(record: CallRecord): CatalogEntry {
    const { originalName, definitionHash, script } = record;
    const saved = toolbox.catalog.find(toolIdOf(record));
    if (saved?.script && saved.definitionHash === definitionHash) return saved;
    if (originalName === runCodeName) return runCodeEntry(record.arguments);
    throw new ToolwharfError(
      'TOOL_CHANGED',
      `${script?.calledAs} was removed or changed while its script was interrupted`,
    );
  }

  async function end(record: CallRecord, error: ToolwharfError): Promise<void> {
    const completedAt = new Date().toISOString();
    await storage.journal.write({ ...record, ...endingFor(error), completedAt });
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((cause) => log.warning('script.not-resumed', `Scripts could not be continued: ${messageOf(cause)}`))
      .finally(() => {
        isLooking = false;
      });
  }, intervalMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
