import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Progress } from '../kernel/tool.ts';
import type { ElicitAnswer, QuestionContext, Questions, Root } from './questions.ts';

/**
 * The caller's side of a request: answers the server's questions and receives its notifications for this request.
 * A question that the host has no method for is answered by the connection's default (`ConnectionOptions.questions`).
 */
export interface RequestHost {
  /** Answers `elicitation/create`. */
  elicit?(params: JsonObject, context: QuestionContext): Promise<ElicitAnswer>;
  /** Answers `sampling/createMessage`. */
  sample?(params: JsonObject, context: QuestionContext): Promise<JsonObject>;
  /** Answers `roots/list`. */
  listRoots?(context: QuestionContext): Promise<readonly Root[]>;
  onProgress?(progress: Progress): void;
  /** Receives the params of `notifications/message`. */
  onLog?(params: JsonObject): void;
  /** Set by a client that answers `input_required` results itself: such a result is returned unchanged. */
  readonly input?: {
    /** Sent as `inputResponses`. */
    readonly responses?: JsonObject;
    /** Sent as `requestState`. */
    readonly state?: unknown;
  };
}

/** Answers a server's question with the host of its request, else with the connection's default; rejects where neither can. */
export async function answerQuestion(
  host: RequestHost | undefined,
  defaults: Questions,
  method: string,
  params: JsonObject,
  context: QuestionContext,
): Promise<JsonObject> {
  switch (method) {
    case 'elicitation/create': {
      const answer = host?.elicit ? host.elicit(params, context) : defaults.elicit?.(params, context);
      if (!answer) throw noAnswerer(method);
      return fillDefaults(params, await answer);
    }
    case 'sampling/createMessage': {
      const answer = host?.sample ? host.sample(params, context) : defaults.sample?.(params, context);
      if (!answer) throw noAnswerer(method);
      return answer;
    }
    case 'roots/list': {
      const roots = host?.listRoots ? host.listRoots(context) : defaults.roots?.(context);
      if (!roots) throw noAnswerer(method);
      return { roots: await roots };
    }
    default:
      throw noAnswerer(method);
  }
}

/** Reports to the server that nobody answers this question: JSON-RPC "method not found". */
class UnansweredQuestionError extends Error {
  readonly code = -32601;
}

function noAnswerer(method: string): UnansweredQuestionError {
  return new UnansweredQuestionError(`This client cannot answer ${method}`);
}

/** An accepted form with the default of each field that the person left out. */
function fillDefaults(params: JsonObject, answer: ElicitAnswer): JsonObject {
  const schema = params.requestedSchema;
  if (answer.action !== 'accept' || !isObject(schema) || !isObject(schema.properties)) return { ...answer };
  const content: Record<string, unknown> = { ...answer.content };
  for (const [key, property] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(content, key) && isObject(property) && property.default !== undefined) {
      content[key] = property.default;
    }
  }
  return { action: 'accept', content };
}
