import { z } from 'zod';
import { withoutSecrets } from '../../../config/server-url.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { toolIdOf } from '../../../kernel/tool-id.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../policy/approval.ts';
import type { ApprovalRecord } from '../../../policy/approval-store.ts';
import { createArgumentsChecker } from '../../../policy/validate-arguments.ts';
import type { Identity } from '../../auth/identity.ts';
import { listApprovals } from '../own-approvals.ts';
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
    summary:
      'Questions to a person, newest first. Others than administrators see those about their own calls and conversations.',
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
    right: 'call',
    group,
    summary:
      'Answers a question. The first answer counts. Others than administrators answer for the assistant in a conversation of theirs, never for their own calls.',
    params,
    body: approvalAnswerSchema,
    answer: approvalSchema,
    errors: ['ARGUMENTS_INVALID', 'CONFLICT', 'GONE', 'NOT_FOUND'],
    async handle(request, ports) {
      const { approval } = request.params;
      const { caller } = request.identity;
      const record = await findApproval(approval, request.identity, ports);
      if (!(await ports.ownership.mayAnswer(request.identity, record.request))) {
        const message = 'Others answer this question: nobody allows their own calls but administrators';
        throw new ToolwharfError('FORBIDDEN', message);
      }
      const { scope = 'once' } = request.body;
      if (!request.identity.isAdmin && (scope === 'tool' || scope === 'server')) {
        const message = 'Only administrators answer for everybody: answer for this call, or for this conversation';
        throw new ToolwharfError('FORBIDDEN', message);
      }
      assertFits(request.body, record.request, ports);
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

async function showApproval(id: string, identity: Identity, ports: ApiPorts): Promise<ApprovalView> {
  return toView(await findApproval(id, identity, ports), identity, ports);
}

async function findApproval(id: string, identity: Identity, { storage, ownership }: ApiPorts): Promise<ApprovalRecord> {
  const record = await storage.approvals.get(id);
  if (record && (await ownership.owns(identity, record.request.caller))) return record;
  throw notFound(id);
}

async function toView(
  { request, ...record }: ApprovalRecord,
  identity: Identity,
  { ownership }: ApiPorts,
): Promise<ApprovalView> {
  return { ...request, ...record, mayAnswer: await ownership.mayAnswer(identity, request) };
}

function toAnswer(answer: z.output<typeof approvalAnswerSchema>): ApprovalAnswer {
  const { answer: kind, ...rest } = answer;
  return { kind, ...rest } as ApprovalAnswer;
}

function notFound(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no question '${id}'`);
}

/** Arguments that the person changed are refused while the question is still open: afterwards they could only fail the call. */
function assertFits(
  body: z.output<typeof approvalAnswerSchema>,
  request: ApprovalRequest,
  { toolbox }: ApiPorts,
): void {
  const schema = toolbox.entry(toolIdOf(request))?.definition.inputSchema;
  if (body.answer !== 'allow' || !body.arguments || !schema) return;
  const checked = checker.check(schema, body.arguments);
  if (checked.ok) return;
  throw new ToolwharfError('ARGUMENTS_INVALID', `Invalid arguments for ${request.tool}: ${checked.text}`);
}

const checker = createArgumentsChecker();
