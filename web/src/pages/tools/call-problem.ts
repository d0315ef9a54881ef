import { ApiError } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';

/** Why a call has no result, in words for the one who made it. */
export interface CallProblem {
  readonly code?: string;
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
  /** What is wrong with single arguments, by JSON pointer. */
  readonly fields: readonly { readonly path: string; readonly message: string }[];
}

const advice: ReadonlyMap<string, string> = new Map([
  ['ARGUMENTS_INVALID', 'Nothing was sent. Correct the arguments and run it again.'],
  ['CALL_CANCELLED', 'The server was told to stop. It may have done a part of it.'],
  ['CALL_DENIED', 'A rule or a person said no. Rules are on the page Approvals.'],
  ['CALL_TIMED_OUT', "It took longer than the tool's limit. Raise the tool's timeout in the configuration."],
  ['INPUT_REFUSED', 'The server asked something in the middle, and nobody answered.'],
  ['OUTCOME_UNKNOWN', 'It may have run. Find out before you run it again.'],
  ['QUEUE_FULL', 'Too many calls are waiting. Try again in a moment.'],
  ['RATE_LIMITED', "The server's rate is used up. Try again in a moment."],
  ['SERVER_DISCONNECTED', "It was not sent. Look at the server's status for the reason."],
  ['SERVER_ERROR', 'The server answered with an error of its own.'],
  ['TOOL_CHANGED', 'Look at the difference above, and accept or reject it on the page of the server.'],
  ['TOOL_NAME_INVALID', 'The tool is gone, or you may not see it any more.'],
]);

export function toCallProblem(error: unknown): CallProblem {
  const message = messageOf(error);
  if (!(error instanceof ApiError)) return { message, fields: [] };
  const { code } = error;
  const hint = advice.get(code);
  return {
    code,
    message,
    ...(hint !== undefined && { advice: hint }),
    fields: code === 'ARGUMENTS_INVALID' ? fieldsIn(message) : [],
  };
}

/** The lines of the gateway's text that name a place: "/limit: expected …". */
function fieldsIn(message: string): { readonly path: string; readonly message: string }[] {
  return [...message.matchAll(/(?:^|\n- |: )(\/[^\n]*?): (expected [^\n]*)/g)].map(([, path = '', text = '']) => ({
    path,
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)}`,
  }));
}
