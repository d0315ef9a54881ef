import type { JsonObject } from '../kernel/json.ts';

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

/** A folder that a server may work in. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
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
  readonly roots?: (context: QuestionContext) => Promise<readonly Root[]>;
}

/** What to announce to a server, given who is there to answer. */
export function capabilitiesFor(questions: Questions): JsonObject {
  return {
    ...(questions.elicit && { elicitation: { form: {}, url: {} } }),
    ...(questions.sample && { sampling: {} }),
    ...(questions.roots && { roots: {} }),
  };
}
