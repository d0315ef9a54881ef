import { expect, test } from 'vitest';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { needsResolving, prepareArguments } from './prepare-arguments.ts';

const ports = { checker: { check: () => ({ ok: true as const }) }, validationOf: () => 'strict' as const };
const args = { to: 'toolwharf-result:c1#/x@example.com', deep: [{ a: 'toolwharf-secret:c1' }], text: 'toolwharf-' };

test('a script gets references as they are, and rules cannot compare them [O7]', () => {
  const script = { script: {}, definition: { inputSchema: {} } } as unknown as CatalogEntry;
  expect(needsResolving(script, args)).toBe(false);
  expect(prepareArguments(script, args, ports)).toMatchObject({
    values: args,
    shown: args,
    hidden: new Set(['to', 'deep']),
  });
  expect(needsResolving({ definition: {} } as CatalogEntry, args)).toBe(true);
});
