import { messageOf } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { ApprovalRequest, AskPlugins, PluginApproval } from '../policy/approval.ts';
import type { PluginApprover } from './plugin.ts';

/** The approver of a plugin, with the plugin's name. */
export interface NamedApprover {
  readonly name: string;
  readonly approver: PluginApprover;
}

/**
 * Asks all approvers at the same time; the first answer counts. An approver that fails, or answers something else, is logged and
 * counts as one without an answer. Undefined without approvers.
 */
export function createAskPlugins(approvers: readonly NamedApprover[], log: Log): AskPlugins | undefined {
  if (approvers.length === 0) return undefined;

  async function ask(
    { name, approver }: NamedApprover,
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<PluginApproval | undefined> {
    try {
      // A copy: an approver must not change what other people approve.
      const answer = toAnswer(await approver(structuredClone(request), { signal }));
      return answer && { answer, by: `plugin:${name}` };
    } catch (cause) {
      const message = `The approver of plugin '${name}' failed: ${messageOf(cause)}`;
      if (!signal.aborted) log.error('plugin.approver-failed', message, { plugin: name, callId: request.callId });
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
