import { isObject } from '../../kernel/json.ts';
import { type Assistant, assistantSchema } from './assistant-store.ts';

/** A kept assistant as of today: what it was kept without gets its default, what is no longer part of one is dropped. */
export function parseAssistant(body: string): Assistant {
  const kept: unknown = JSON.parse(body);
  if (!isObject(kept)) return assistantSchema.parse(kept);
  const known = Object.entries(kept).filter(([name]) => Object.hasOwn(assistantSchema.shape, name));
  return assistantSchema.parse(Object.fromEntries(known));
}
