import type { JsonObject } from '../kernel/json.ts';

/** The circumstances of a server's question. */
export interface QuestionContext {
  readonly server: string;
  /** The call it belongs to, if known. */
  readonly callId?: string;
  /** The calls it may belong to, if it is not known to which. */
  readonly callIds?: readonly string[];
  /** The key that a server of the modern era gave the question. */
  readonly key?: string;
  readonly signal: AbortSignal;
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/** A folder that a server may work in. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/**
 * Answers servers' questions for a whole toolbox. Only kinds of questions with an answerer are announced to servers;
 * others are refused.
 */
export interface Questions {
  /** Asks a person to fill in a form or open a URL (`elicitation/create`). */
  readonly elicit?: (params: JsonObject, context: QuestionContext) => Promise<ElicitAnswer>;
  /** Asks a model for a completion (`sampling/createMessage`). */
  readonly sample?: (params: JsonObject, context: QuestionContext) => Promise<JsonObject>;
  /** Lists the folders that the server may work in (`roots/list`). */
  readonly roots?: (context: QuestionContext) => Promise<readonly Root[]>;
}

/** The client capabilities to announce, given the available answerers. */
export function capabilitiesFor(questions: Questions): JsonObject {
  return {
    ...(questions.elicit && { elicitation: { form: {}, url: {} } }),
    ...(questions.sample && { sampling: {} }),
    ...(questions.roots && { roots: {} }),
  };
}
