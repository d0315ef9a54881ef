import type { RegistryServer } from '../../api/client.ts';

export type InstallOption = RegistryServer['installOptions'][number];
export type RegistryInput = InstallOption['inputs'][number];

/** The values of the registry form. Each install option has its own, so that switching loses nothing. */
export interface InstallDraft {
  /** The index of the selected install option. */
  readonly optionIndex: number;
  /** Typed values by option and key. Other keys have their default. */
  readonly typed: ReadonlyMap<number, ReadonlyMap<string, string>>;
  /** The person accepted the risks of the selected option. */
  readonly acceptsRisks: boolean;
}

/** The initial values of the form. */
export const emptyDraft: InstallDraft = { optionIndex: 0, typed: new Map(), acceptsRisks: false };

/** The value of a field of the selected option. */
export function readValue(
  { optionIndex, typed }: InstallDraft,
  { key, default: defaultValue = '', choices }: RegistryInput,
): string {
  const value = typed.get(optionIndex)?.get(key) ?? defaultValue;
  return choices === undefined || choices.includes(value) ? value : '';
}

/** The draft with another value for a key of the selected option. */
export function withValue(draft: InstallDraft, key: string, value: string): InstallDraft {
  const { optionIndex, typed } = draft;
  return { ...draft, typed: new Map(typed).set(optionIndex, new Map(typed.get(optionIndex)).set(key, value)) };
}

/** The filled-in values of the selected option. The gateway validates them. */
export function toValues(draft: InstallDraft, inputs: readonly RegistryInput[]): Readonly<Record<string, string>> {
  const values = inputs.map((input) => [input.key, readValue(draft, input)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
