import type { CatalogEntry } from '../../catalog/catalog.ts';
import { programCaller } from '../../invocation/call.ts';
import type { CallRecord } from '../../invocation/call-record.ts';
import { valueOfResult } from '../../invocation/references.ts';
import type { OpenedScripts, ScriptToolbox } from '../../invocation/run-steps.ts';
import { recordedResult } from '../../invocation/shape-result.ts';
import { observeOutput } from '../signatures/observe-output.ts';

const maxResults = 20;
const maxReported = 1_000;

/**
 * Creates the function that learns the outputs of tools from the results in the journal: from those of the accepted definition, and
 * only from those that the same caller got. A change is logged once.
 */
export function createObserver({ catalog, journal, results, log }: ScriptToolbox): OpenedScripts['observe'] {
  const reported = new Set<string>();

  function reportDrift({ name, server, definitionHash }: CatalogEntry, drift: readonly string[]): void {
    const key = JSON.stringify([name, definitionHash, drift]);
    if (drift.length === 0 || reported.has(key)) return;
    if (reported.size >= maxReported) reported.clear();
    reported.add(key);
    const message = `The latest result of ${name} differs from those before, although its definition is the same: ${drift.join(', ')}`;
    log.warning('tool.output-changed', message, { tool: name, server });
  }

  return async (tool, caller = programCaller.id) => {
    const entry = catalog.find(tool);
    if (!entry || entry.definition.outputSchema !== undefined || results.isSecret(entry)) return undefined;
    const { name, server, definitionHash } = entry;
    const filter = { kind: 'calls', tool: name, server, caller, status: 'success', limit: maxResults } as const;
    const records = await journal.list(filter);
    const values = records.filter((record) => record.definitionHash === definitionHash).flatMap(valuesOf);
    const observed = observeOutput(values);
    if (observed) reportDrift(entry, observed.drift);
    return observed;
  };
}

/** The value that a script gets; none if the journal does not have the whole result. */
function valuesOf(record: CallRecord): readonly unknown[] {
  const result = record.truncated || record.isPreview ? undefined : recordedResult(record);
  return result && !result.isError ? [valueOfResult({ ...result })] : [];
}
