import type { Plugin } from 'vite';
import { formFields } from '../packages/contract/form-fields.ts';
import { operations } from '../packages/contract/operations.ts';

const values = { operations: { operations }, 'form-fields': { formFields } };

/** Gives programs that are clients of the API what the contract derives from its schemas, without the schemas. */
export function contractValues(): Plugin {
  return {
    name: 'toolwharf-contract-values',
    load(id) {
      const [, name] = /\/contract\/([\w-]+)\.ts$/.exec(id.replaceAll('\\', '/')) ?? [];
      const exported = Object.entries(values[name as keyof typeof values] ?? {});
      if (exported.length === 0) return undefined;
      return exported.map(([key, value]) => `export const ${key} = ${JSON.stringify(value)};`).join('\n');
    },
  };
}
