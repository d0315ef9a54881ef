import { ApiError } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { text } from '../../text/text.ts';

/** Why a call has no result. */
export interface CallProblem {
  readonly code?: string;
  readonly message: string;
  /** The next step. */
  readonly advice?: string | undefined;
  /** The invalid arguments, by JSON pointer. */
  readonly fields: readonly { readonly path: string; readonly message: string }[];
}

const adviceByCode: ReadonlyMap<string, string> = new Map([
  ['ARGUMENTS_INVALID', text.tools.callProblem.callNotSentCorrect],
  ['CALL_CANCELLED', text.tools.callProblem.serverAskedStopCall],
  ['CALL_DENIED', text.tools.callProblem.rulePersonDeniedCall],
  ['CALL_TIMED_OUT', text.tools.callProblem.callTookLongerThan],
  ['INPUT_REFUSED', text.tools.callProblem.serverAskedQuestionDuring],
  ['OUTCOME_UNKNOWN', text.tools.callProblem.callMayRunCheck],
  ['QUEUE_FULL', text.tools.callProblem.tooManyCallsWaiting],
  ['RATE_LIMITED', text.tools.callProblem.rateLimitServerReached],
  ['SERVER_DISCONNECTED', text.tools.callProblem.callNotSentStatus],
  ['SERVER_ERROR', text.tools.callProblem.serverReturnedError],
  ['TOOL_CHANGED', text.tools.callProblem.compareDefinitionsAboveThen],
  ['TOOL_NAME_INVALID', text.tools.callProblem.toolRemovedNoLonger],
]);

/** The problem that an error of the API describes. */
export function toCallProblem(error: unknown): CallProblem {
  const message = messageOf(error);
  if (!(error instanceof ApiError)) return { message, fields: [] };
  const { code } = error;
  return {
    code,
    message,
    advice: adviceByCode.get(code),
    fields: code === 'ARGUMENTS_INVALID' ? readFields(message) : [],
  };
}

/** Reads the lines that name an argument: "/limit: expected …". */
function readFields(message: string): { readonly path: string; readonly message: string }[] {
  return [...message.matchAll(/(?:^|\n- |: )(\/[^\n]*?): (expected [^\n]*)/g)].map(([, path = '', text = '']) => ({
    path,
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)}`,
  }));
}
