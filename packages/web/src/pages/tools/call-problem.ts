import { ApiError } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { capitalize } from '../../text/capitalize.ts';

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
  ['APPROVAL_EXPIRED', 'Nobody answered the approval in time. The call was not sent. Run it again to ask once more.'],
  ['ARGUMENTS_INVALID', 'The call was not sent. Correct the arguments and run it again.'],
  ['CALL_CANCELLED', 'The server was asked to stop. The call may have run in part.'],
  ['CALL_DENIED', 'A rule or a person denied the call. The Approvals page lists the rules.'],
  ['CALL_TIMED_OUT', 'The call took longer than the timeout of the tool. Raise the timeout in the configuration.'],
  ['INPUT_REFUSED', 'The server asked a question during the call, and got no answer.'],
  ['OUTCOME_UNKNOWN', 'The call may have run. Check before you run it again.'],
  ['QUEUE_FULL', 'Too many calls are waiting. Try again in a moment.'],
  ['RATE_LIMITED', 'The rate limit of the server is reached. Try again in a moment.'],
  ['SERVER_DISCONNECTED', 'The call was not sent. The status of the server shows the reason.'],
  ['SERVER_ERROR', 'The server returned an error.'],
  ['TOOL_CHANGED', 'Compare the definitions above, then accept or reject the change on the page of the server.'],
  ['TOOL_NAME_INVALID', 'The tool was removed, or you no longer have access to it.'],
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
    message: capitalize(text),
  }));
}
