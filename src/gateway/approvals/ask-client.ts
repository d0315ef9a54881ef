import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../policy/approval.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import type { AskedCalls } from '../mcp/asked-calls.ts';
import type { AskClient } from './stored-approver.ts';

/** Asks the calling client's own person by elicitation, in whichever era the client speaks. */
export function createAskClient(asked: AskedCalls): AskClient {
  return (request, signal) => {
    const client = asked.find(request.callId);
    if (!client || !isObject(client.capabilities.elicitation)) return undefined;
    return client.ask('elicitation/create', toForm(request), signal).then(toAnswer);
  };
}

function toForm(request: ApprovalRequest): JsonObject {
  const server = request.server === undefined ? '' : ` of server ${request.server}`;
  const shown = (text: string) => toDisplayText(text, { maxLength: 2_000 });
  const lines = [
    `Allow ${shown(request.originalName)}${server} to run?`,
    `Why you are asked: ${shown(request.reason)}.`,
    `Arguments: ${shown(JSON.stringify(request.arguments))}`,
    ...(request.change
      ? [`Changed since it was accepted: ${request.change.map((change) => change.path).join(', ')}`]
      : []),
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
          enum: ['once', 'conversation', 'tool', 'server', 'deny'],
          default: 'once',
        },
      },
      required: ['answer'],
    },
  };
}

function toAnswer(reply: JsonObject): ApprovalAnswer {
  const answer = isObject(reply.content) ? reply.content.answer : undefined;
  if (reply.action !== 'accept' || answer === 'deny') return { kind: 'deny', reason: 'the person said no' };
  if (answer === 'conversation' || answer === 'tool' || answer === 'server') return { kind: 'allow', scope: answer };
  return { kind: 'allow', scope: 'once' };
}
