import type { QuestionContext, Questions } from '../connections/questions.ts';

/** The same answerers, with the asking call's clock stopped while a person or a model answers. */
export function pauseWhileAsked(
  questions: Questions,
  pauseClock: (callId: string | undefined) => () => void,
): Questions {
  async function paused<Answer>(context: QuestionContext, answer: () => Promise<Answer>): Promise<Answer> {
    const resume = pauseClock(context.callId);
    try {
      return await answer();
    } finally {
      resume();
    }
  }
  const { elicit, sample, roots } = questions;
  return {
    ...(elicit && { elicit: (params, context) => paused(context, () => elicit(params, context)) }),
    ...(sample && { sample: (params, context) => paused(context, () => sample(params, context)) }),
    ...(roots && { roots }),
  };
}
