import { z } from 'zod';
import { withoutSecrets } from '../../../config/server-url.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { ApprovalAnswer } from '../../../policy/approval.ts';
import type { ApprovalRecord } from '../../../policy/approval-store.ts';
import type { Identity } from '../../auth/identity.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  type ApprovalView,
  approvalAnswerSchema,
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
    summary: 'Questions to a person, newest first. Others than administrators see those about their own calls.',
    query: z.object({
      status: approvalStatus.optional(),
      caller: z.string().optional().describe("The caller's id."),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    answer: approvalListSchema,
    async handle(request, ports) {
      const { isAdmin, caller } = request.identity;
      if (!isAdmin && request.query.caller !== undefined && request.query.caller !== caller.id)
        return { approvals: [] };
      await ports.storage.approvals.expire(Date.now());
      const filter = { ...request.query, ...(!isAdmin && { caller: caller.id }) };
      return { approvals: (await ports.storage.approvals.list(filter)).map(toView) };
    },
  }),
  route({
    operationId: 'getApproval',
    method: 'get',
    path: '/api/approvals/{approval}',
    right: 'read',
    group,
    summary: 'One question, and its answer if there is one.',
    params,
    answer: approvalSchema,
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      await ports.storage.approvals.expire(Date.now());
      return showApproval(request.params.approval, request.identity, ports);
    },
  }),
  route({
    operationId: 'answerApproval',
    method: 'post',
    path: '/api/approvals/{approval}/answer',
    right: 'admin',
    group,
    summary: 'Answers a question. The first answer counts.',
    params,
    body: approvalAnswerSchema,
    answer: approvalSchema,
    errors: ['CONFLICT', 'GONE', 'NOT_FOUND'],
    async handle(request, ports) {
      const { approval } = request.params;
      const { caller } = request.identity;
      const outcome = await ports.approver.answer(approval, toAnswer(request.body), caller.name ?? caller.id);
      if (outcome === 'missing') throw notFound(approval);
      if (outcome === 'already') throw new ToolwharfError('CONFLICT', 'This question is answered already');
      if (outcome === 'expired') throw new ToolwharfError('GONE', "This question's time is over: the call was denied");
      return showApproval(approval, request.identity, ports);
    },
  }),
  route({
    operationId: 'listRules',
    method: 'get',
    path: '/api/rules',
    right: 'admin',
    group,
    summary: 'Answers that are remembered for further calls.',
    answer: ruleListSchema,
    async handle(_request, { toolbox }) {
      const rules = await toolbox.rules();
      return {
        rules: rules.map(({ serverAddress, ...rule }) => ({
          ...rule,
          ...(serverAddress !== undefined && { serverAddress: withoutSecrets(serverAddress) }),
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
    summary: 'Forgets a remembered answer.',
    params: z.object({ rule: z.string() }),
    errors: ['NOT_FOUND'],
    async handle(request, ports) {
      const { rule } = request.params;
      if (!(await ports.toolbox.revokeRule(rule))) throw new ToolwharfError('NOT_FOUND', `There is no rule '${rule}'`);
    },
  }),
  route({
    operationId: 'listPins',
    method: 'get',
    path: '/api/pins',
    right: 'admin',
    group,
    summary: 'The accepted definition of every tool. What changed since is in the list of tools.',
    answer: pinListSchema,
    async handle(_request, { toolbox }) {
      const pins = await toolbox.pins();
      return { pins: pins.map((pin) => ({ ...pin, serverAddress: withoutSecrets(pin.serverAddress) })) };
    },
  }),
];

async function showApproval(id: string, { isAdmin, caller }: Identity, { storage }: ApiPorts): Promise<ApprovalView> {
  const record = await storage.approvals.get(id);
  if (!record || !(isAdmin || record.request.caller.id === caller.id)) throw notFound(id);
  return toView(record);
}

function toView({ request, ...record }: ApprovalRecord): ApprovalView {
  return { ...request, ...record };
}

function toAnswer(answer: z.output<typeof approvalAnswerSchema>): ApprovalAnswer {
  const { answer: kind, ...rest } = answer;
  return { kind, ...rest } as ApprovalAnswer;
}

function notFound(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no question '${id}'`);
}
