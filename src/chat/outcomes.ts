import type { Assistant } from '../storage/ports/assistant-store.ts';
import type { Message } from '../storage/ports/conversation-store.ts';
import type { OpenedModel } from './models/models.ts';
import type { Turn } from './take-turn.ts';

/** How an answer ends, and what the person is told of it. */
export type Outcome = Pick<Message, 'status' | 'problem'>;

/** More text than this in one turn is nothing anybody reads. */
export const maxCharacters = 1_000_000;

export const completed: Outcome = { status: 'complete', problem: undefined };

export function failed(problem: string): Outcome {
  return { status: 'error', problem };
}

/** Ended from outside: by a person, or with everything else. */
export function endedBy(end: 'stopped' | 'closed' | undefined): Outcome {
  if (end === 'stopped') return { status: 'stopped', problem: undefined };
  return { status: 'interrupted', problem: 'Toolwharf was stopped in the middle of this answer.' };
}

export function limited(
  { maxSteps, maxTokens }: Pick<Assistant, 'maxSteps' | 'maxTokens'>,
  what: 'steps' | 'tokens',
): Outcome {
  if (what === 'tokens' && maxTokens === undefined)
    return { status: 'limited', problem: `The answer is longer than ${maxCharacters} characters. Go on to hear more.` };
  const limit = what === 'steps' ? `${maxSteps} steps` : `${maxTokens} tokens`;
  const problem = `The assistant's limit of ${limit} for one answer is reached. Go on to allow as much again, or raise the limit.`;
  return { status: 'limited', problem };
}

/** A turn of the model that did not come to its end. */
export function unfinishedTurn(how: Exclude<Turn['end'], 'done'>, { label }: OpenedModel): Outcome {
  switch (how) {
    case 'cut':
      return { status: 'limited', problem: `${label} reached its own limit for one answer. Go on to let it continue.` };
    case 'filtered':
      return failed(`The provider of ${label} held its answer back. Say it in other words.`);
    case 'broken':
      return failed(`The answer of ${label} broke off. Go on, or try again.`);
  }
}
