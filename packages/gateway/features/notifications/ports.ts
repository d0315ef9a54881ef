import type { Identity } from '../../core/auth/identity.ts';
import type { PortsKey } from '../../core/feature-api.ts';
import type { MessageRecord } from './message-records.ts';

/** The messages behind links. */
export interface LinkPorts {
  /** Undefined if the gateway did not sign the link, or the message is gone. */
  find(link: string): Promise<MessageRecord | undefined>;
  /** Returns how many approvals were answered. */
  answer(record: MessageRecord, answer: 'allow' | 'deny', identity: Identity): Promise<number>;
}

export const linkPorts: PortsKey<LinkPorts> = { feature: 'notifications' };
