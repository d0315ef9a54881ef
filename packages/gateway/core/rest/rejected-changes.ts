import { randomUUID } from 'node:crypto';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { RememberedRule, RuleStore } from '../../../toolwharf/policy/remembered-rules.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';

type Tools = Pick<InternalToolbox, 'approvals'>;

/**
 * The rules that reject a changed or new tool: each denies a definition that is newer than the accepted one. A rule that denies
 * the accepted definition denies the tool itself and is not included.
 */
export async function findRejections(entry: CatalogEntry, toolbox: Tools): Promise<readonly RememberedRule[]> {
  const { serverAddress, originalName, accepted } = entry;
  if (!entry.changed && !entry.isNew) return [];
  const rules = await toolbox.approvals.rules();
  return rules.filter(
    ({ scope, answer, createdAt, definitionHash, ...rule }) =>
      scope === 'tool' &&
      answer === 'deny' &&
      rule.serverAddress === serverAddress &&
      rule.tool === originalName &&
      definitionHash !== accepted?.hash &&
      createdAt >= (accepted?.at ?? ''),
  );
}

/** Adds a rule that rejects a tool's changed definition. */
export async function rejectChange(entry: CatalogEntry, toolbox: Tools, store: Pick<RuleStore, 'add'>): Promise<void> {
  const { originalName, server, serverAddress, definitionHash } = entry;
  const existing = await findRejections(entry, toolbox);
  if (existing.some((rule) => rule.definitionHash === definitionHash)) return;
  await store.add({
    id: randomUUID(),
    scope: 'tool',
    answer: 'deny',
    audience: 'everyone',
    serverAddress,
    server,
    tool: originalName,
    definitionHash,
    createdAt: new Date().toISOString(),
  });
}
