import { isObject } from '../../contract/json.ts';
import type { ApprovalRequest, AskPlugins, PluginApproval } from '../policy/approval.ts';
import type { ActivePlugin } from './active-plugin.ts';

/**
 * Asks all approvers at the same time; the first answer counts. An approver that fails, or answers something else, is logged and
 * counts as one without an answer. Undefined without approvers.
 */
export function createAskPlugins(plugins: readonly ActivePlugin[]): AskPlugins | undefined {
  const approvers = plugins.filter(({ plugin }) => plugin.approver);
  if (approvers.length === 0) return undefined;

  async function ask(
    active: ActivePlugin,
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<PluginApproval | undefined> {
    const fields = { callId: request.callId };
    try {
      const { plugin, settings, records, history } = active;
      // A copy: an approver must not change what other people approve. It may take as long as the approval is open.
      const context = { signal, settings, records, history };
      const asked = active.runNow('approver', () => plugin.approver?.(structuredClone(request), context));
      const answer = toAnswer(await asked);
      const effect = answer?.kind === 'allow' ? 'allowed' : 'denied';
      if (!answer || active.shadows('approver', `${effect} the call of ${request.tool}`, fields)) return undefined;
      return { answer, by: `plugin:${plugin.name}` };
    } catch (cause) {
      if (!signal.aborted) active.fail('approver', cause, fields);
      return undefined;
    }
  }

  return (request, signal) =>
    new Promise((resolve) => {
      let open = approvers.length;
      const settle = (given: PluginApproval | undefined) => {
        open--;
        if (given || open === 0) resolve(given);
      };
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
      for (const approver of approvers) void ask(approver, request, signal).then(settle);
    });
}

/** Only the fields of an answer to this one call: the answer of a plugin is never remembered and never edits arguments. */
function toAnswer(answer: unknown): PluginApproval['answer'] | undefined {
  if (answer === undefined) return undefined;
  if (isObject(answer) && answer.kind === 'allow') return { kind: 'allow' };
  if (isObject(answer) && answer.kind === 'deny')
    return typeof answer.reason === 'string' ? { kind: 'deny', reason: answer.reason } : { kind: 'deny' };
  throw new Error("it must return undefined, { kind: 'allow' }, or { kind: 'deny', reason }");
}
