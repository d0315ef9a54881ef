import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { valueWithText } from '../kernel/exact-json.ts';
import type { RequestHost, Root } from './request-host.ts';

export interface InputRequiredOptions {
  readonly send: (params: JsonObject) => Promise<JsonObject>;
  /** `key` is the server's name for the question. */
  readonly answer: (method: string, params: JsonObject, key: string) => Promise<JsonObject>;
  /** Limit for a server that keeps asking; default 10. */
  readonly maxRounds?: number;
}

/** The params of a request whose client answers the server's questions itself. */
export function withInput(params: JsonObject, { responses, state }: NonNullable<RequestHost['input']>): JsonObject {
  return {
    ...params,
    inputResponses: responses,
    requestState: state,
  };
}

/**
 * Answers an `input_required` result that asks only for roots which are configured for the server; returns any other result
 * unchanged.
 */
export async function answerRoots(
  params: JsonObject,
  first: JsonObject,
  roots: readonly Root[],
  send: InputRequiredOptions['send'],
): Promise<JsonObject> {
  let result = first;
  for (let round = 0; result.resultType === 'input_required' && round < defaultRounds; round++) {
    const questions = Object.entries(isObject(result.inputRequests) ? result.inputRequests : {});
    const asksOnlyRoots = questions.every(([, question]) => isObject(question) && question.method === 'roots/list');
    if (questions.length === 0 || !asksOnlyRoots) break;
    const responses = Object.fromEntries(questions.map(([key]) => [key, { roots }]));
    result = await send(withInput(params, { responses, state: result.requestState }));
  }
  return result;
}

const defaultRounds = 10;

/**
 * While the result of a request of the modern era is `input_required`, answers its questions and sends the request again with
 * the answers and the server's state.
 */
export async function requestWithInput(
  params: JsonObject,
  first: JsonObject,
  options: InputRequiredOptions,
): Promise<JsonObject> {
  const { send, answer, maxRounds = defaultRounds } = options;
  let result = first;
  for (let round = 0; result.resultType === 'input_required'; round++) {
    if (round >= maxRounds) {
      throw new ToolwharfError('SERVER_PROTOCOL', `The server asked for input ${maxRounds} times without finishing`);
    }
    const asking = result;
    const questions = Object.entries(isObject(asking.inputRequests) ? asking.inputRequests : {});
    const answers = await Promise.all(
      questions.map(
        async ([key, question]) =>
          [key, await ask(key, question, valueWithText(asking, 'inputRequests', key, 'params'))] as const,
      ),
    );
    const responses = answers.length > 0 ? Object.fromEntries(answers) : undefined;
    result = await send(withInput(params, { responses, state: result.requestState }));
  }
  return result;

  async function ask(key: string, question: unknown, questionParams: unknown): Promise<JsonObject> {
    if (!isObject(question) || typeof question.method !== 'string') {
      throw new ToolwharfError('SERVER_PROTOCOL', 'The server asked for input in a form that is not MCP');
    }
    try {
      return await answer(question.method, isObject(questionParams) ? questionParams : {}, key);
    } catch (cause) {
      if (cause instanceof ToolwharfError) throw cause;
      throw new ToolwharfError('INPUT_REFUSED', `The server asked ${question.method} and got no answer`, { cause });
    }
  }
}
