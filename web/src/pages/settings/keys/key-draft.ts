import type { ApiKeyInput } from '../../../api/client.ts';

export type Right = NonNullable<ApiKeyInput['rights']>[number];

/** A key that is to be made. */
export interface KeyDraft {
  readonly name: string;
  readonly rights: readonly Right[];
  /** Empty opens all profiles. */
  readonly profile: string;
}

export const emptyKey: KeyDraft = { name: '', rights: ['read', 'call'], profile: '' };

export function toKeyInput({ name, rights, profile }: KeyDraft): ApiKeyInput {
  return { name, rights, ...(profile !== '' && { profile }) };
}
