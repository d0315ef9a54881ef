import type { JsonObject } from '../../contract/json.ts';
import { createId } from '../kernel/create-id.ts';

/** A question that a call waits for: of its server, or about its approval. */
export interface CallQuestion {
  readonly id: string;
  /** The key that a server of the modern era gave the question. */
  readonly key?: string;
  /** The server that asks; undefined for a question about the approval. */
  readonly server?: string;
  /** The MCP method of the question, such as `elicitation/create`. */
  readonly method: string;
  readonly params: JsonObject;
}

/** The questions of one call that wait for an answer. */
export interface OpenQuestions {
  list(): readonly CallQuestion[];
  /** Adds a question until it has an answer: that of `run`, whose signal aborts when another one is given, or of `answer`. */
  ask(
    question: Omit<CallQuestion, 'id'>,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject>;
  /** Answers a question, or refuses it with an error. Returns false if the question no longer waits. */
  answer(id: string, answer: JsonObject | Error): boolean;
  /** Withdraws all questions. */
  close(reason: Error): void;
}

interface Open {
  readonly question: CallQuestion;
  readonly withdrawn: AbortController;
  readonly given: PromiseWithResolvers<JsonObject>;
}

export function createOpenQuestions(onChange: (questions: readonly CallQuestion[]) => void): OpenQuestions {
  const open = new Map<string, Open>();
  const list = () => [...open.values()].map(({ question }) => question);

  function remove(id: string): void {
    if (open.delete(id)) onChange(list());
  }

  return {
    list,
    async ask(about, signal, run) {
      const id = createId();
      const withdrawn = new AbortController();
      const given = Promise.withResolvers<JsonObject>();
      open.set(id, { question: { id, ...about }, withdrawn, given });
      const answer = run(AbortSignal.any([signal, withdrawn.signal]));
      // The host's refusal does not matter once another answer was given.
      answer.catch(() => {});
      onChange(list());
      try {
        return await Promise.race([answer, given.promise]);
      } finally {
        remove(id);
      }
    },
    answer(id, answer) {
      const found = open.get(id);
      if (!found) return false;
      remove(id);
      if (answer instanceof Error) found.given.reject(answer);
      else found.given.resolve(answer);
      found.withdrawn.abort(new Error('The question was answered'));
      return true;
    },
    close(reason) {
      for (const { withdrawn } of open.values()) withdrawn.abort(reason);
    },
  };
}
