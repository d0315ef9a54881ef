import { z } from 'zod';
import { pinKey } from '../../../catalog/pins.ts';
import { toServerSpec } from '../../../config/server-record.ts';
import { withoutSecrets } from '../../../config/server-url.ts';
import { toServerAddress } from '../../../connections/protocol-cache.ts';
import { hasReferences } from '../../../invocation/references.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { toolIdOf } from '../../../kernel/tool-id.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../policy/approval.ts';
import type { ApprovalRecord } from '../../../policy/approval-store.ts';
import { audienceOf, type RuleAudience } from '../../../policy/remembered-rules.ts';
import { createArgumentsChecker } from '../../../policy/validate-arguments.ts';
import type { Identity } from '../../auth/identity.ts';
import type { AnswerRight } from '../../auth/ownership.ts';
import { findApproval, listApprovals, noApproval } from '../access.ts';
import { actDetails, recordAct } from '../record-act.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  type ApprovalView,
  approvalAnswerSchema,
  approvalAnswersSchema,
  approvalListSchema,
  approvalSchema,
  approvalStatus,
  pinListSchema,
  ruleListSchema,
} from '../schemas/approvals.ts';

const group = 'approvals';
const params = z.object({ approval: z.string() });

export const approvalRoutes = [
  route({
    operationId: 'listApprovals',
    method: 'get',
    path: '/api/approvals',
    right: 'read',
    group,
    summary: 'Lists approvals, newest first. Only administrators see those of calls and conversations of others.',
    query: z.object({
      status: approvalStatus.optional(),
      caller: z.string().optional().describe("The caller's id."),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answer: approvalListSchema,
    async handle({ identity, query }, ports) {
      const records = await listApprovals(query, identity, ports);
      return { approvals: await Promise.all(records.map((record) => toView(record, identity, ports))) };
    },
  }),
  route({
    operationId: 'getApproval',
    method: 'get',
    path: '/api/approvals/{approval}',
    right: 'read',
    group,
    summary: 'Returns one approval with its answer.',
    params,
    answer: approvalSchema,
    errors: ['NOT_FOUND'],
    access: findApproval,
    handle: ({ resource, identity }, ports) => toView(resource, identity, ports),
  }),
  route({
    operationId: 'answerApproval',
    method: 'post',
    path: '/api/approvals/{approval}/answer',
    right: 'call',
    group,
    summary:
      'Answers an approval. The first answer counts. Administrators answer for the calls of others; the owner of a conversation for its assistant, and a caller for its own call, where `approvers` of the profile permits it.',
    params,
    body: approvalAnswerSchema,
    answer: approvalSchema,
    errors: ['ARGUMENTS_INVALID', 'CONFLICT', 'GONE', 'NOT_FOUND'],
    recorded: true,
    async access(request, ports) {
      const record = await findApproval(request, ports);
      assertReach(await ports.security.ownership.answerRight(request.identity, record.request), request.body);
      return record;
    },
    async handle(request, ports) {
      const { approval } = request.params;
      assertValidArguments(request.body, request.resource.request, ports);
      const outcome = await ports.calls.approver.answer(approval, toAnswer(request.body), nameOf(request.identity));
      if (outcome === 'missing') throw noApproval(approval);
      if (outcome === 'already') throw new ToolwharfError('CONFLICT', 'This approval is already answered');
      if (outcome === 'expired') throw new ToolwharfError('GONE', 'This approval has expired: the call was denied');
      return toView(await findApproval(request, ports), request.identity, ports);
    },
  }),
  route({
    operationId: 'answerApprovals',
    method: 'post',
    path: '/api/approvals/answers',
    right: 'call',
    group,
    summary:
      'Answers several approvals, such as those of one script. All answers are checked before the first one is given. An approval that was answered before keeps its answer.',
    body: approvalAnswersSchema,
    answer: approvalListSchema,
    errors: ['ARGUMENTS_INVALID', 'NOT_FOUND'],
    // Each answer is recorded like that to a single approval.
    recorded: false,
    async access({ identity, body }, ports) {
      for (const { approval, answer } of body.answers) {
        const { request } = await findApproval({ identity, params: { approval } }, ports);
        assertReach(await ports.security.ownership.answerRight(identity, request), answer);
        assertValidArguments(answer, request, ports);
      }
    },
    async handle({ identity, body }, ports) {
      const { caller } = identity;
      for (const { approval, answer } of body.answers) {
        const details = actDetails(
          { recorded: true, right: 'call', method: 'post' },
          { params: { approval }, body: answer },
        );
        const act = { operation: 'answerApproval', caller, details: details ?? {} };
        await recordAct(act, ports, () => ports.calls.approver.answer(approval, toAnswer(answer), nameOf(identity)));
      }
      const records = body.answers.map(({ approval }) => findApproval({ identity, params: { approval } }, ports));
      const views = (await Promise.all(records)).map((record) => toView(record, identity, ports));
      return { approvals: await Promise.all(views) };
    },
  }),
  route({
    operationId: 'listRules',
    method: 'get',
    path: '/api/rules',
    right: 'admin',
    group,
    summary: 'Lists the remembered approvals.',
    answer: ruleListSchema,
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
  route({
    operationId: 'revokeRule',
    method: 'delete',
    path: '/api/rules/{rule}',
    right: 'admin',
    group,
    summary: 'Deletes a remembered approval.',
    params: z.object({ rule: z.string() }),
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { rule } = request.params;
      if (!(await ports.toolbox.approvals.revokeRule(rule)))
        throw new ToolwharfError('NOT_FOUND', `There is no rule '${rule}'`);
    },
  }),
  route({
    operationId: 'listPins',
    method: 'get',
    path: '/api/pins',
    right: 'admin',
    group,
    summary: 'Lists the accepted definitions of tools. `listTools` shows what changed since.',
    query: z.object({
      after: z.string().max(100).optional().describe('`next` of the previous page.'),
      limit: z.coerce.number().int().min(1).max(500).default(500),
    }),
    answer: pinListSchema,
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

function nameOf({ caller: { name, id } }: Identity): string {
  return name === undefined ? id : `${name} (${id})`;
}

async function toView(
  { request, ...record }: ApprovalRecord,
  identity: Identity,
  { security }: ApiPorts,
): Promise<ApprovalView> {
  const right = await security.ownership.answerRight(identity, request);
  return { ...request, ...record, mayAnswer: right !== 'none', audiences: audiencesFor(right, request) };
}

/** The audiences that the requesting caller may choose for a remembered answer. */
function audiencesFor(right: AnswerRight, { caller }: ApprovalRequest): RuleAudience[] {
  const conversation: RuleAudience[] = caller.conversation === undefined ? [] : ['conversation'];
  if (right === 'everyone') return [...conversation, 'caller', 'everyone'];
  return right === 'conversation' ? conversation : [];
}

/** Rejects an answer that reaches further than the caller's right to answer. */
function assertReach(right: AnswerRight, { scope = 'once' }: z.output<typeof approvalAnswerSchema>): void {
  const refuse = (message: string) => new ToolwharfError('FORBIDDEN', message);
  if (right === 'none')
    throw refuse(
      'You may not answer this approval: an administrator has to answer it, and callers cannot answer for their own calls',
    );
  if (right === 'once' && scope !== 'once') throw refuse("You can answer for your own call only with the scope 'once'");
  if (right === 'conversation' && scope !== 'once' && scope !== 'conversation')
    throw refuse("Only administrators can answer for other conversations: use the scope 'once' or 'conversation'");
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
  const schema = toolbox.catalog.find(toolIdOf(request))?.definition.inputSchema;
  // The values of references belong to the caller, and are validated with the call.
  if (body.answer !== 'allow' || !body.arguments || !schema || hasReferences(body.arguments)) return;
  const checked = checker.check(schema, body.arguments);
  if (checked.ok) return;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${request.tool}: ${checked.text}`);
}

const checker = createArgumentsChecker();
