import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';

/** The error of a server that asks to open URLs before it runs a request. */
export const urlElicitationRequired = -32042;

/** Why a URL of a server must not be shown as a link; undefined for a web address whose host is what it seems to be. */
export function urlProblem(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'is not a URL';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'is not a web address';
  if (username !== '' || password !== '' || /^https?:\/*[^/?#]*@/i.test(url)) return 'contains a user name';
  // Browsers ignore, replace or reorder these, so that the address would not be the one that is shown.
  return /[\s\\\p{C}\p{Default_Ignorable_Code_Point}]/u.test(url)
    ? 'contains characters that hide its address'
    : undefined;
}

/** Throws if a question asks a person to open a URL that is not a plain web address. */
export function assertSafeQuestion(server: string, method: string, params: JsonObject): void {
  if (method !== 'elicitation/create' || (params.mode !== 'url' && params.url === undefined)) return;
  const problem = urlProblem(params.url);
  if (problem === undefined) return;
  throw new ToolwharfError('INPUT_REFUSED', `Server '${server}' asked to open a URL that ${problem}`, {
    data: { reached: true, unsafeUrl: true },
  });
}

/** Throws if an `input_required` result has such a question, or questions in a form that only some clients would read. */
export function assertSafeInput(server: string, { resultType, inputRequests }: JsonObject): void {
  if (resultType !== 'input_required' || inputRequests === undefined) return;
  const questions = isObject(inputRequests) ? Object.values(inputRequests) : [undefined];
  for (const question of questions) {
    if (!isObject(question) || typeof question.method !== 'string' || Array.isArray(question.params))
      throw new ToolwharfError('SERVER_PROTOCOL', `Server '${server}' asked for input in a form that is not MCP`, {
        data: { reached: true },
      });
    assertSafeQuestion(server, question.method, isObject(question.params) ? question.params : {});
  }
}

/** Throws if the data of a server's error asks for such a URL. */
export function assertSafeError(server: string, { rpcCode, rpcData }: JsonObject): void {
  if (rpcCode !== urlElicitationRequired || !isObject(rpcData) || rpcData.elicitations === undefined) return;
  const elicitations = Array.isArray(rpcData.elicitations) ? rpcData.elicitations : [undefined];
  for (const elicitation of elicitations)
    assertSafeQuestion(server, 'elicitation/create', { ...(isObject(elicitation) && elicitation), mode: 'url' });
}

/** True for the error of a question that was refused because of its URL. */
export function isUnsafe(cause: unknown): cause is ToolwharfError {
  return cause instanceof ToolwharfError && cause.data.unsafeUrl === true;
}
