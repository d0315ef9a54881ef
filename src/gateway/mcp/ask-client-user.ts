import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../policy/approval.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import type { ClientRequest } from './client-request.ts';

/** Asks the calling client's own user for approval, by elicitation. */
export async function askClientUser(
  client: Pick<ClientRequest, 'ask'>,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  return toAnswer(await client.ask('elicitation/create', toForm(request), signal));
}

function toForm(request: ApprovalRequest): JsonObject {
  const server = request.server === undefined ? '' : ` of server ${request.server}`;
  const shown = (text: string) => toDisplayText(text, { maxLength: 2_000 });
  const lines = [
    `Allow ${shown(request.originalName)}${server} to run?`,
    `Reason: ${shown(request.reason)}.`,
    `Arguments: ${shown(JSON.stringify(request.arguments))}`,
  ];
  return {
    mode: 'form',
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Answer',
          enum: ['once', 'deny'],
          default: 'once',
        },
      },
      required: ['answer'],
    },
  };
}

function toAnswer(reply: JsonObject): ApprovalAnswer {
  const answer = isObject(reply.content) ? reply.content.answer : undefined;
  if (reply.action === 'accept' && (answer === undefined || answer === 'once')) return { kind: 'allow' };
  return { kind: 'deny', reason: 'the user denied it' };
}
