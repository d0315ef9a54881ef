import { isObject, type JsonObject } from '../kernel/json.ts';

/** What surrounds a question that a server asks while it works. */
export interface QuestionContext {
  readonly server: string;
  /** The call it belongs to, where that is known. */
  readonly callId?: string;
  /** The calls it may belong to, where it is not known to which. */
  readonly callIds?: readonly string[];
  /** What the server calls the question, in the era in which questions have names. */
  readonly key?: string;
  readonly signal: AbortSignal;
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/**
 * Who answers what servers ask: the owner of the toolbox supplies them. A kind without an answerer is not announced to
 * servers and refused if asked all the same.
 */
export interface Questions {
  /** A form or an address for the person (`elicitation/create`). */
  readonly elicit?: (params: JsonObject, context: QuestionContext) => Promise<ElicitAnswer>;
  /** A completion by the owner's model (`sampling/createMessage`). */
  readonly sample?: (params: JsonObject, context: QuestionContext) => Promise<JsonObject>;
  /** The folders the server may work in (`roots/list`). */
  readonly roots?: (context: QuestionContext) => Promise<readonly { uri: string; name?: string }[]>;
}

/** What to announce to a server, given who is there to answer. */
export function capabilitiesFor(questions: Questions): JsonObject {
  return {
    ...(questions.elicit && { elicitation: { form: {}, url: {} } }),
    ...(questions.sample && { sampling: {} }),
    ...(questions.roots && { roots: {} }),
  };
}

/** The answer to one question, or an error that names what is missing. */
export async function answerQuestion(
  questions: Questions,
  method: string,
  params: JsonObject,
  context: QuestionContext,
): Promise<JsonObject> {
  switch (method) {
    case 'elicitation/create':
      if (!questions.elicit) throw noAnswerer(method);
      return withDefaults(params, await questions.elicit(params, context));
    case 'sampling/createMessage':
      if (!questions.sample) throw noAnswerer(method);
      return questions.sample(params, context);
    case 'roots/list':
      if (!questions.roots) throw noAnswerer(method);
      return { roots: await questions.roots(context) };
    default:
      throw noAnswerer(method);
  }
}

/** A question nobody is there to answer; `code` is JSON-RPC's "method not found", for the server to read. */
class NoAnswererError extends Error {
  readonly code = -32601;
}

function noAnswerer(method: string): NoAnswererError {
  return new NoAnswererError(`This client has nobody to answer ${method}`);
}

/** A form that was accepted holds its fields' defaults where the person left them out. */
function withDefaults(params: JsonObject, answer: ElicitAnswer): JsonObject {
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
