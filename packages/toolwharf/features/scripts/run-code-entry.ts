import { lazy } from '../../../contract/lazy.ts';
import { unlimitedTool } from '../../../contract/settings/defaults.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { definitionHash } from '../../catalog/definition-hash.ts';
import { defaultTimeoutMs, runCodeDefinition, runCodeInput, runCodeName } from './code-tools.ts';

/** `run_code` for a call with these arguments, which contain the time limit. */
export function runCodeEntry(args: unknown): CatalogEntry {
  const parsed = runCodeInput().safeParse(args);
  return {
    ...entry(),
    limits: { ...entry().limits, timeoutMs: parsed.success ? parsed.data.timeoutMs : defaultTimeoutMs },
  };
}

const entry = lazy(
  (): CatalogEntry => ({
    name: runCodeName,
    originalName: runCodeName,
    scope: { naming: 'mcp', servers: [], localTools: new Set() },
    serverTrusted: true,
    definition: runCodeDefinition(),
    definitionHash: definitionHash(runCodeDefinition()),
    limits: { ...unlimitedTool, timeoutMs: defaultTimeoutMs },
    paramHeaders: [],
    script: {},
    isBuiltIn: true,
  }),
);
