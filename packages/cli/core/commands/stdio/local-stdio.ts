import { join } from 'node:path';
import type { Config, ProfileConfig } from '../../../../contract/settings/config.ts';
import { chooseFeatures } from '../../../../gateway/core/choose-features.ts';
import { gatherMcpParts, pluginsOf } from '../../../../gateway/core/feature.ts';
import { questionsNeedCall } from '../../../../gateway/core/mcp/client-host.ts';
import { searchProfile } from '../../../../gateway/core/mcp/search-profile.ts';
import { serveStdio } from '../../../../gateway/core/mcp/stdio.ts';
import { createViews } from '../../../../gateway/core/mcp/views.ts';
import { features } from '../../../../gateway/features/index.ts';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import { openConfig } from '../../../../toolwharf/config/open-config.ts';
import { openScripts } from '../../../../toolwharf/features/scripts/open-scripts.ts';
import { type ApprovalAnswer, type Approver, askClient } from '../../../../toolwharf/policy/approval.ts';
import { startToolbox } from '../../../../toolwharf/toolbox.ts';
import { warnOfOpenDirectory } from '../../client/open-store.ts';
import { createRuleFile } from '../../client/rule-file.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../errors.ts';
import { notFound } from '../../find-item.ts';
import { createTerminalLog } from '../../terminal/terminal-log.ts';

/** Serves MCP over stdin and stdout with the servers of the configuration in this process. */
export async function serveLocally(name: string, context: CommandContext): Promise<number> {
  const { stdin, stdout, cwd, terminal, env, signal } = context;
  const log = createTerminalLog(terminal, context.options.logLevel);
  const nobody: ApprovalAnswer = { kind: 'deny', reason: 'the client cannot ask its user' };
  const approver: Approver = { ask: async (request, ending, host) => askClient(host, request, ending) ?? nobody };
  const searchFor = (shown: string) => searchProfile(shown, toolbox.config.profiles, views.get);
  const dataDir = dataDirectory(env);
  await warnOfOpenDirectory(dataDir, log);
  const loaded = await openConfig(context.options.config, { env, cwd, log });
  const chosen = chooseFeatures(features, loaded);
  const parts = gatherMcpParts(chosen);
  await using toolbox = await startToolbox(loaded, {
    env,
    log,
    signal,
    approver,
    featurePlugins: pluginsOf(chosen, { env }),
    host: questionsNeedCall,
    scripts: { open: (used) => openScripts(used, { searchFor }) },
    rules: createRuleFile(join(dataDir, 'approvals.json')),
    watch: true,
    startWaitMs: 0,
  });
  const views = createViews({ toolbox, parts });
  let profile = findProfile(name, toolbox.config);
  toolbox.on('config.applied', () => {
    // A profile that was removed from the file keeps serving the client that uses it.
    profile = toolbox.config.profiles.find((candidate) => candidate.name === name) ?? profile;
  });
  await serveStdio({
    toolbox,
    log,
    caller: { id: 'stdio', kind: 'client' },
    // The user of the only client started this process, so that user answers.
    profile: () => ({ ...profile, approval: { ...profile.approval, approvers: 'client' } }),
    input: stdin,
    output: stdout,
    startWaitMs: toolbox.config.gateway.listWaitMs,
    parts,
    signal,
  });
  return exitCodes.ok;
}

function findProfile(name: string, { profiles }: Config): ProfileConfig {
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  throw notFound(
    'profile',
    name,
    profiles.map((profile) => profile.name),
  );
}
