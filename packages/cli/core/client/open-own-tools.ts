import { join } from 'node:path';
import { chooseFeatures } from '../../../gateway/core/choose-features.ts';
import { pluginsOf } from '../../../gateway/core/feature.ts';
import { showTool } from '../../../gateway/core/rest/show-tool.ts';
import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import type { LoadedConfig } from '../../../toolwharf/config/loaded-config.ts';
import { usedSections } from '../../../toolwharf/config/plugin-sections.ts';
import { openScripts } from '../../../toolwharf/features/scripts/open-scripts.ts';
import type { Call } from '../../../toolwharf/invocation/call.ts';
import { receiveArgumentsText } from '../../../toolwharf/invocation/receive-arguments.ts';
import { ownProgram } from '../../../toolwharf/kernel/client-program.ts';
import { toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import { startToolbox } from '../../../toolwharf/toolbox.ts';
import type { CommandContext } from '../command-context.ts';
import { createTerminalApprover } from '../terminal/terminal-approver.ts';
import { createTerminalQuestions } from '../terminal/terminal-questions.ts';
import type { CallOptions } from './call-tool.ts';
import { warnUnavailable } from './known-server.ts';
import { countTools, type OpenedTools } from './opened-tools.ts';
import { type OpenOptions, prepareOwn } from './prepare-own.ts';
import { createRuleFile } from './rule-file.ts';

/**
 * Opens the servers of the configuration in this process, for the commands that must start faster than a gateway does. Remembered
 * approvals are stored in a file.
 */
export async function openOwnTools(context: CommandContext, options: OpenOptions): Promise<OpenedTools> {
  const { terminal, env, signal } = context;
  const rulesFile = join(dataDirectory(env), 'approvals.json');
  const rememberedNote = `Remembered in ${rulesFile}; delete the entry there to be asked again.`;
  using start = await prepareOwn(context, options);
  const { loaded, log, reported } = start;
  const askPatterns = loaded.config.toolbox.approval.ask;
  const approver = createTerminalApprover(terminal, () => ({ rememberedNote, askPatterns }));
  const canAsk = options.forCalls && terminal.canAsk;
  const toolbox = await startToolbox(loaded, {
    ...start.toolbox,
    ...{ env, log, signal },
    rules: options.forCalls ? createRuleFile(rulesFile) : undefined,
    approver: canAsk ? approver : undefined,
    host: canAsk ? createTerminalQuestions(terminal) : undefined,
    featurePlugins: await loadFeaturePlugins(loaded, context.env),
    scripts: { open: (used) => openScripts(used) },
  });
  const entries = toolbox.tools.flatMap(({ name }) => toolbox.catalog.find(name) ?? []);
  const tools = await Promise.all(entries.map((entry) => showTool(entry, { toolbox })));
  const servers = countTools(toolbox.servers.list(), tools);
  return {
    ...{ servers, tools, warnings: start.warnings, config: start.summarize(toolbox) },
    reportUnavailable(only) {
      const unreported = servers.filter(({ name }) => !reported.has(name));
      warnUnavailable(unreported, terminal, only);
    },
    async call({ name }, args, { timeout, onProgress }) {
      let isDeniedHere = false;
      const unsubscribe = toolbox.on('approval.answered', ({ answer }) => {
        isDeniedHere = terminal.canAsk && answer.kind === 'deny';
      });
      const call = toolbox.start(name, receiveArgumentsText(toJsonText(args)), {
        signal: AbortSignal.any([signal, timeout.start(name)]),
        caller: { id: 'cli', kind: 'person', client: ownProgram('toolwharf-cli') },
        host: { onProgress },
      });
      pauseWhileAsking(call, timeout);
      const result = await call.result;
      unsubscribe();
      return { result, isDeniedHere };
    },
    async [Symbol.asyncDispose]() {
      terminal.status('Closing …');
      await toolbox.close();
      terminal.status();
    },
  };
}

/** The plugins of features for the sections of the configuration. Most have none, and start faster without the features. */
async function loadFeaturePlugins(loaded: LoadedConfig, env: CommandContext['env']) {
  if (usedSections(loaded.config).length === 0) return [];
  const { features } = await import('../../../gateway/features/index.ts');
  return pluginsOf(chooseFeatures(features, loaded), { env });
}

/** Stops the time limit while the call waits for a person. */
function pauseWhileAsking(call: Call, { pause }: CallOptions['timeout']): void {
  let resume: (() => void) | undefined;
  call.subscribe((event) => {
    if (event.type !== 'state') return;
    const isAsking = event.state === 'awaiting-approval' || event.state === 'awaiting-input';
    if (isAsking) resume ??= pause();
    else {
      resume?.();
      resume = undefined;
    }
  });
}
