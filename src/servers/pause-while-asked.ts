import type { QuestionContext, Questions } from '../connections/questions.ts';

/** The same answerers, with the asking call's clock stopped while a person or a model answers. */
export function pauseWhileAsked(
  questions: Questions,
  pauseClock: (callId: string | undefined) => () => void,
): Questions {
  async function paused<Answer>(context: QuestionContext, answer: () => Promise<Answer>): Promise<Answer> {
    // Where it is not known which call asks, none of them may run out of time meanwhile.
    const resumes = (context.callIds ?? [context.callId]).map(pauseClock);
    try {
      return await answer();
    } finally {
      for (const resume of resumes) resume();
    }
  }
  const { elicit, sample, roots } = questions;
  return {
    ...(elicit && { elicit: (params, context) => paused(context, () => elicit(params, context)) }),
    ...(sample && { sample: (params, context) => paused(context, () => sample(params, context)) }),
    ...(roots && { roots: (context) => paused(context, () => roots(context)) }),
  };
}
