import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { ApprovalView, approvalAnswerSchema } from '../../../../contract/api/approvals.ts';
import type { ApprovalScope, RuleAudience } from '../../../../contract/approvals.ts';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { approvalRoutes as routes } from '../../../../contract/routes/approvals.ts';
import { withoutSecrets } from '../../../../contract/settings/server-url.ts';
import { pinKey } from '../../../../toolwharf/catalog/pins.ts';
import { toServerSpec } from '../../../../toolwharf/config/server-record.ts';
import { toServerAddress } from '../../../../toolwharf/connections/protocol-cache.ts';
import { showArguments } from '../../../../toolwharf/invocation/prepare-arguments.ts';
import { hasReferences } from '../../../../toolwharf/invocation/references.ts';
import { hasMasks, isMask } from '../../../../toolwharf/kernel/hide-arguments.ts';
import { secretsOf } from '../../../../toolwharf/kernel/secret-values.ts';
import { toolIdOf } from '../../../../toolwharf/kernel/tool-id.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../../toolwharf/policy/approval.ts';
import type { ApprovalRecord } from '../../../../toolwharf/policy/approval-store.ts';
import { audienceOf } from '../../../../toolwharf/policy/remembered-rules.ts';
import { createArgumentsChecker } from '../../../../toolwharf/policy/validate-arguments.ts';
import type { Identity } from '../../auth/identity.ts';
import type { AnswerRight } from '../../auth/ownership.ts';
import { findApproval, listApprovals, noApproval } from '../access.ts';
import { actDetails, recordAct } from '../record-act.ts';
import { type ApiPorts, implement } from '../route.ts';

export const approvalRoutes = [
  implement(routes.listApprovals, {
    async handle({ identity, query }, ports) {
      const found = await listApprovals({ ...query, limit: query.limit + 1 }, identity, ports);
      const records = found.slice(0, query.limit);
      const approvals = await Promise.all(records.map((record) => showApproval(record, identity, ports)));
      return { approvals, next: found.length > query.limit ? records.at(-1)?.request.id : undefined };
    },
  }),
  implement(routes.getApproval, {
    access: findApproval,
    handle: ({ resource, identity }, ports) => showApproval(resource, identity, ports),
  }),
  implement(routes.answerApproval, {
    async access(request, ports) {
      const record = await findApproval(request, ports);
      assertReach(
        await ports.security.ownership.answerRight(request.identity, record.request),
        request.body,
        record.request,
      );
      return record;
    },
    async handle(request, ports) {
      const { approval } = request.params;
      assertValidArguments(request.body, request.resource.request, ports);
      const outcome = await ports.calls.approver.answer(approval, toAnswer(request.body), nameOf(request.identity));
      if (outcome === 'missing') throw noApproval(approval);
      if (outcome === 'already') throw new ToolwharfError('CONFLICT', 'This approval is already answered');
      if (outcome === 'expired') throw new ToolwharfError('GONE', 'This approval has expired: the call was denied');
      return showApproval(await findApproval(request, ports), request.identity, ports);
    },
  }),
  implement(routes.answerApprovals, {
    async access({ identity, body }, ports) {
      for (const { approval, answer } of body.answers) {
        const { request } = await findApproval({ identity, params: { approval } }, ports);
        assertReach(await ports.security.ownership.answerRight(identity, request), answer, request);
        assertValidArguments(answer, request, ports);
      }
    },
    async handle({ identity, body }, ports) {
      const { caller } = identity;
      for (const { approval, answer } of body.answers) {
        const details = actDetails(
          { recorded: true, right: 'approvals.answer-own', method: 'post' },
          { params: { approval }, body: answer },
        );
        const act = { operation: 'answerApproval', caller, details: details ?? {} };
        await recordAct(act, ports, () => ports.calls.approver.answer(approval, toAnswer(answer), nameOf(identity)));
      }
      const records = body.answers.map(({ approval }) => findApproval({ identity, params: { approval } }, ports));
      const views = (await Promise.all(records)).map((record) => showApproval(record, identity, ports));
      return { approvals: await Promise.all(views) };
    },
  }),
  implement(routes.forgetAnswer, {
    async access(request, ports) {
      const record = await findApproval(request, ports);
      const { answer, request: asked } = record;
      const right = await ports.security.ownership.answerRight(request.identity, asked);
      if (answer) assertReach(right, { ...answer, answer: answer.kind }, asked);
      return record;
    },
    async handle({ resource: { request, answer } }, { toolbox }) {
      if (!isLasting(answer?.scope) || request.access !== undefined)
        throw new ToolwharfError('REQUEST_INVALID', 'No rule was made of the answer to this approval');
      // The process that makes the call stores the rule when it has read the answer.
      const deadline = AbortSignal.timeout(ruleStoredMs);
      while (!(await toolbox.approvals.revokeRule(request.id))) {
        if (deadline.aborted) throw new ToolwharfError('NOT_FOUND', 'This answer is no longer remembered');
        await sleep(pollMs);
      }
    },
  }),
  implement(routes.listRules, {
    async handle(_request, { toolbox }) {
      const rules = await toolbox.approvals.rules();
      return {
        rules: rules.map((rule) => ({
          ...rule,
          audience: audienceOf(rule),
          serverAddress: rule.serverAddress === undefined ? undefined : withoutSecrets(rule.serverAddress),
        })),
      };
    },
  }),
  implement(routes.revokeRule, {
    async handle(request, ports) {
      const { rule } = request.params;
      if (!(await ports.toolbox.approvals.revokeRule(rule)))
        throw new ToolwharfError('NOT_FOUND', `There is no rule '${rule}'`);
    },
  }),
  implement(routes.listPins, {
    async handle({ query: { after, limit } }, { storage, toolbox }) {
      const specs = [...toolbox.config.servers, ...(await storage.servers.list()).map(toServerSpec)];
      const byAddress = Map.groupBy(specs, toServerAddress);
      const found = await storage.pins.list({ after, limit: limit + 1 });
      const pins = found.slice(0, limit);
      const last = found.length > limit ? pins.at(-1) : undefined;
      return {
        pins: pins.map((pin) => ({
          ...pin,
          serverAddress: withoutSecrets(pin.serverAddress),
          servers: [...new Set(byAddress.get(pin.serverAddress)?.map(({ name }) => name))],
        })),
        next: last && pinKey(last),
      };
    },
  }),
];

/** Whether an answer with this scope becomes a rule. */
const isLasting = (scope: ApprovalScope = 'once') => scope !== 'once' && scope !== 'flow';

const ruleStoredMs = 3_000;
const pollMs = 100;

function nameOf({ caller: { name, id } }: Identity): string {
  return name === undefined ? id : `${name} (${id})`;
}

/** An approval as the caller may see it. */
export async function showApproval(
  { request, ...record }: ApprovalRecord,
  identity: Identity,
  { security, toolbox }: ApiPorts,
): Promise<ApprovalView> {
  const right = await security.ownership.answerRight(identity, request);
  const answer = record.answer && showAnswer(record.answer, request, toolbox);
  const isRemembered =
    isLasting(record.answer?.scope) && (await toolbox.approvals.rules()).some(({ id }) => id === request.id);
  const audiences = audiencesFor(right, request);
  return { ...request, ...record, answer, isRemembered, mayAnswer: right !== 'none', audiences };
}

/** The answer without the secrets that the approver entered. */
function showAnswer(
  answer: ApprovalAnswer,
  request: ApprovalRequest,
  { catalog }: ApiPorts['toolbox'],
): ApprovalAnswer {
  if (answer.kind !== 'allow' || !answer.arguments) return answer;
  const entry = catalog.find(toolIdOf(request));
  if (entry) return { ...answer, arguments: showArguments(entry, answer.arguments) };
  // Without the schema, secrets cannot be found.
  return hasMasks(request.arguments) ? { ...answer, arguments: undefined } : answer;
}

/** The audiences that the requesting caller may choose for a remembered answer. */
function audiencesFor(right: AnswerRight, { caller }: ApprovalRequest): RuleAudience[] {
  const conversation: RuleAudience[] = caller.conversation === undefined ? [] : ['conversation'];
  if (right === 'everyone') return [...conversation, 'caller', 'everyone'];
  return right === 'conversation' ? conversation : [];
}

/** Rejects an answer that reaches further than the caller's right to answer. */
function assertReach(
  right: AnswerRight,
  { scope = 'once' }: z.output<typeof approvalAnswerSchema>,
  { flows }: ApprovalRequest,
): void {
  const refuse = (message: string) => new ToolwharfError('FORBIDDEN', message);
  if (right === 'none')
    throw refuse(
      'You may not answer this approval: an administrator has to answer it, and callers cannot answer for their own calls',
    );
  if (scope === 'flow' && !flows)
    throw new ToolwharfError(
      'REQUEST_INVALID',
      "This approval is not about a data flow: use another scope than 'flow'",
    );
  if (right === 'once' && scope !== 'once') throw refuse("You can answer for your own call only with the scope 'once'");
  if (right === 'conversation' && scope !== 'once' && scope !== 'flow' && scope !== 'conversation')
    throw refuse(
      "Only administrators can answer for other conversations: use the scope 'once', 'flow' or 'conversation'",
    );
}

function toAnswer(answer: z.output<typeof approvalAnswerSchema>): ApprovalAnswer {
  const { answer: kind, ...rest } = answer;
  return { kind, ...rest } as ApprovalAnswer;
}

/** Rejects invalid edited arguments while the approval is still open; later they could only fail the call. */
function assertValidArguments(
  body: z.output<typeof approvalAnswerSchema>,
  request: ApprovalRequest,
  { toolbox }: ApiPorts,
): void {
  if (Object.values(body.matching ?? {}).some(isMask))
    throw new ToolwharfError(
      'ARGUMENTS_INVALID',
      'A pattern cannot be [hidden]: it would be compared with the value itself',
    );
  const schema = toolbox.catalog.find(toolIdOf(request))?.definition.inputSchema;
  // The values of references and masks are validated with the call.
  if (body.answer !== 'allow' || !body.arguments || !schema) return;
  if (hasReferences(body.arguments) || secretsOf(schema)) return;
  const checked = checker.check(schema, body.arguments);
  if (checked.ok) return;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${request.tool}: ${checked.text}`);
}

const checker = createArgumentsChecker();
