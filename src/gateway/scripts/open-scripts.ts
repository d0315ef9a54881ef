import type { ProfileConfig } from '../../config/config.ts';
import type { Journal } from '../../invocation/journal.ts';
import type { ScriptRunner } from '../../invocation/run-steps.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { createScriptRunner } from '../../scale/code/script-runner.ts';
import { answerScript, createSearchForScripts } from '../../scale/code/search-for-scripts.ts';
import { readResult } from '../../scale/references/read-result.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { View } from '../mcp/view.ts';
import { createSandboxPool } from './sandbox-pool.ts';

export interface ScriptsPorts {
  /** Called when a script runs: the toolbox is created with the runner. */
  readonly toolbox: () => Pick<InternalToolbox, 'config' | 'catalog' | 'calls'>;
  readonly journal: Pick<Journal, 'list' | 'get'>;
  readonly viewOf: (profile: ProfileConfig) => Promise<Pick<View, 'toolSearch' | 'searchable'>>;
}

/** Runs the scripts of a toolbox. Disposing ends their processes. */
export interface Scripts extends AsyncDisposable {
  readonly runner: ScriptRunner;
}

export function openScripts({ toolbox, journal, viewOf }: ScriptsPorts): Scripts {
  const limits = () => toolbox().config.gateway.limits;
  const sandboxes = createSandboxPool({ maxProcesses: () => limits().maxScripts });
  const runner = createScriptRunner({
    maxScriptsPerCaller: () => limits().maxScriptsPerCaller,
    openSandbox: sandboxes.open,
    journal,
    entries: () => toolbox().catalog.entries,
    async answer({ profile: name, caller }, question) {
      const { config, calls } = toolbox();
      const profile = config.profiles.find((candidate) => candidate.name === name);
      if (!profile) throw new ToolwharfError('NOT_FOUND', `There is no profile '${name}'`);
      const { toolSearch, searchable } = await viewOf(profile);
      const read = (args: unknown) => readResult(args, caller.id, calls.results.find);
      return answerScript({ ...createSearchForScripts(toolSearch, searchable), read }, question);
    },
  });
  return { runner, [Symbol.asyncDispose]: () => sandboxes[Symbol.asyncDispose]() };
}
