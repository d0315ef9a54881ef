import type { RegistryServer } from '../../../api/client.ts';

export type RegistryWay = RegistryServer['ways'][number];
export type RegistryInput = RegistryWay['inputs'][number];

/** What is filled in for a server of the registry: each way keeps its own, so that trying another costs nothing. */
export interface WayDraft {
  /** The number of the chosen way. */
  readonly way: number;
  /** What was typed, by way and key. What was not has its default. */
  readonly typed: ReadonlyMap<number, ReadonlyMap<string, string>>;
}

export const emptyDraft: WayDraft = { way: 0, typed: new Map() };

/** What stands in a field of the chosen way. */
export function shownValue({ way, typed }: WayDraft, { key, default: usual = '', choices }: RegistryInput): string {
  const value = typed.get(way)?.get(key) ?? usual;
  return choices === undefined || choices.includes(value) ? value : '';
}

export function withValue(draft: WayDraft, key: string, value: string): WayDraft {
  const { way, typed } = draft;
  return { ...draft, typed: new Map(typed).set(way, new Map(typed.get(way)).set(key, value)) };
}

/** What is sent of the chosen way: what is filled in. The gateway judges it. */
export function toValues(draft: WayDraft, inputs: readonly RegistryInput[]): Readonly<Record<string, string>> {
  const values = inputs.map((input) => [input.key, shownValue(draft, input)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}
