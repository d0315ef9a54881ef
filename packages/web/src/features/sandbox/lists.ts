import type { SandboxList } from '../../../../contract/settings/choices.ts';
import type { api } from '../../api/client.ts';

export type SandboxState = Awaited<ReturnType<typeof api.getSandbox>>;
export type Proposal = NonNullable<SandboxState['proposal']>;
export type ProposedEntry = Proposal['entries'][number];

export const listTexts: Readonly<Record<SandboxList | 'denied', string>> = {
  read: 'Read',
  write: 'Write',
  network: 'Host',
  denied: 'Never',
};
