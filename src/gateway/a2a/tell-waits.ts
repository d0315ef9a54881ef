import { TaskState } from '@a2a-js/sdk';
import type { Toolbox } from '../../toolbox.ts';
import type { PendingQuestions } from '../questions/pending-questions.ts';
import type { TaskBoard } from './task-board.ts';

/** Who says that a call waits for a person. */
export interface WaitSources {
  readonly toolbox: Pick<Toolbox, 'on'>;
  readonly questions: Pick<PendingQuestions, 'on'>;
}

/** Tells tasks whose calls wait for a person, so that their callers know it and need not wait on the line. */
export function tellWaits(board: TaskBoard, { toolbox, questions }: WaitSources): () => void {
  const taskOf = (callId: string | undefined) => (callId === undefined ? undefined : board.findCall(callId)?.live);
  const ends = [
    toolbox.on('approval.asked', ({ id, callId, reason, expiresAt }) => {
      const words = `Waiting for a person to allow this call: ${reason}. The task goes on by itself once that is answered, and is rejected if it is not by ${expiresAt}.`;
      taskOf(callId)?.setState(TaskState.TASK_STATE_AUTH_REQUIRED, words, { 'toolwharf/approval': id });
    }),
    toolbox.on('approval.answered', ({ request: { callId } }) =>
      taskOf(callId)?.setState(TaskState.TASK_STATE_WORKING, 'The question was answered'),
    ),
    questions.on('asked', ({ id, callId, server }) => {
      const words = `Server '${server}' asks something in the middle of this call: answer it in the app or over the API.`;
      taskOf(callId)?.setState(TaskState.TASK_STATE_WORKING, words, { 'toolwharf/question': id });
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
