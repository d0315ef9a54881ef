import type { CallRecord } from '../invocation/call-record.ts';
import type { ApprovalRequest } from '../policy/approval.ts';
import type { ChatPorts } from './chat-ports.ts';
import type { OpenedModel } from './models/models.ts';

/** What a conversation wants to hear of one of its calls. */
export interface CallListener {
  readonly model: OpenedModel;
  onAsked(request: ApprovalRequest): void;
  onAnswered(): void;
  onChanged(record: CallRecord): void;
}

/** Brings the toolbox's news to the conversations whose calls they are about. */
export interface CallBoard extends Disposable {
  follow(callId: string, listener: CallListener): Disposable;
  find(callId: string): CallListener | undefined;
}

export function createCallBoard({ on }: Pick<ChatPorts['toolbox'], 'on'>): CallBoard {
  const listeners = new Map<string, CallListener>();
  const ends = [
    on('approval.asked', (request) => listeners.get(request.callId)?.onAsked(request)),
    on('approval.answered', ({ request }) => listeners.get(request.callId)?.onAnswered()),
    on('call.changed', (record) => listeners.get(record.id)?.onChanged(record)),
  ];
  return {
    follow(callId, listener) {
      listeners.set(callId, listener);
      return { [Symbol.dispose]: () => void listeners.delete(callId) };
    },
    find: (callId) => listeners.get(callId),
    [Symbol.dispose]() {
      for (const end of ends) end();
    },
  };
}
