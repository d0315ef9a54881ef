import { randomUUID } from 'node:crypto';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';
import type { Toolbox } from '../../toolbox.ts';

type Tools = Pick<Toolbox, 'rules' | 'pins'>;

/**
 * The remembered answers that refuse a tool's change: each denies it under a definition that came after the accepted one. A no
 * to a definition that was accepted is about the tool itself, and none of them.
 */
export async function findRejections(entry: CatalogEntry, toolbox: Tools): Promise<readonly RememberedRule[]> {
  const { serverAddress, originalName } = entry;
  if (!entry.changed) return [];
  const [rules, pins] = await Promise.all([toolbox.rules(), toolbox.pins()]);
  const pin = pins.find((one) => one.serverAddress === serverAddress && one.tool === originalName);
  return rules.filter(
    ({ scope, answer, createdAt, definitionHash, ...rule }) =>
      scope === 'tool' &&
      answer === 'deny' &&
      rule.serverAddress === serverAddress &&
      rule.tool === originalName &&
      definitionHash !== pin?.hash &&
      createdAt >= (pin?.acceptedAt ?? ''),
  );
}

/** Refuses a tool's changed definition for good. */
export async function rejectChange(entry: CatalogEntry, toolbox: Tools, store: Pick<RuleStore, 'add'>): Promise<void> {
  const { originalName, server, serverAddress, definitionHash } = entry;
  const before = await findRejections(entry, toolbox);
  if (before.some((rule) => rule.definitionHash === definitionHash)) return;
  await store.add({
    id: randomUUID(),
    scope: 'tool',
    answer: 'deny',
    ...(serverAddress !== undefined && { serverAddress }),
    ...(server !== undefined && { server }),
    tool: originalName,
    definitionHash,
    createdAt: new Date().toISOString(),
  });
}
