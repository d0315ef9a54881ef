import type { ApprovalAnswer, ApprovalRequest, Approver } from 'toolwharf';

/** Approvals that wait for the person in the browser. */
export interface BrowserApprover extends Approver {
  pending(): readonly ApprovalRequest[];
  /** False if nobody waits for this answer any longer. */
  answer(id: string, answer: ApprovalAnswer): Promise<boolean>;
}

export function createBrowserApprover(): BrowserApprover {
  const waiting = new Map<string, { request: ApprovalRequest; resolve: (answer: ApprovalAnswer) => void }>();
  return {
    ask(request, signal) {
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      waiting.set(request.id, { request, resolve });
      signal.addEventListener('abort', () => waiting.delete(request.id), { once: true });
      return promise;
    },
    pending: () => [...waiting.values()].map(({ request }) => request),
    async answer(id, answer) {
      const question = waiting.get(id);
      question?.resolve(answer);
      return waiting.delete(id);
    },
  };
}
