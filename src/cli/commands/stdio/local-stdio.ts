import { join } from 'node:path';
import type { Config, ProfileConfig } from '../../../config/config.ts';
import { dataDirectory } from '../../../config/data-directory.ts';
import { openConfig } from '../../../config/open-config.ts';
import { questionsNeedCall } from '../../../gateway/mcp/client-host.ts';
import { serveStdio } from '../../../gateway/mcp/stdio.ts';
import { createViews } from '../../../gateway/mcp/views.ts';
import { searchProfile } from '../../../gateway/scripts/search-profile.ts';
import { type ApprovalAnswer, type Approver, askClient } from '../../../policy/approval.ts';
import { openScripts } from '../../../scale/code/open-scripts.ts';
import { startToolbox } from '../../../toolbox.ts';
import { createRuleFile } from '../../backend/rule-file.ts';
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
  await using toolbox = await startToolbox(await openConfig(context.options.config, { env, cwd, log }), {
    env,
    log,
    signal,
    approver,
    host: questionsNeedCall,
    scripts: { open: (used) => openScripts(used, { searchFor }) },
    rules: createRuleFile(join(dataDirectory(env), 'approvals.json')),
    watch: true,
    startWaitMs: 0,
  });
  const views = createViews({ toolbox });
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
