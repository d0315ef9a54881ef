import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';

/** Remembered answers that last as long as the process. */
export function createMemoryRules(): RuleStore {
  const rules = new Map<string, RememberedRule>();
  return {
    list: async () => [...rules.values()],
    add: async (rule) => void rules.set(rule.id, rule),
    remove: async (id) => rules.delete(id),
  };
}
