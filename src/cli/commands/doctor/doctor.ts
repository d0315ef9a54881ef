import type { Config } from '../../../config/config.ts';
import { dataDirectory } from '../../../config/data-directory.ts';
import { findConfigFile } from '../../../config/load-config.ts';
import { openConfig } from '../../../config/open-config.ts';
import { type Problem, problemLine } from '../../../config/problems.ts';
import { messageOf, ToolwharfError } from '../../../kernel/errors.ts';
import { openToolbox } from '../../backend/open-toolbox.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { count, oneLine } from '../../terminal/layout.ts';
import { examineDataDirectory, examineGateway, examineKey, examineNode } from './examine-machine.ts';
import { examineCommands, examineConnections, examineReferences } from './examine-servers.ts';
import { type Finding, good, wrong } from './finding.ts';

export interface DoctorOptions {
  readonly json?: boolean;
}

/** `toolwharf doctor`: everything that must be right on this machine, one by one, with what to do about what is not. */
export async function doctor({ json }: DoctorOptions, context: CommandContext): Promise<number> {
  const { terminal, env } = context;
  const { colors } = terminal;
  const findings: Finding[] = [];

  function tell(...found: readonly Finding[]): void {
    findings.push(...found);
    if (json) return;
    for (const { subject, ok, message, fix } of found) {
      terminal.print(`${ok ? colors.green('✔') : colors.red('✖')} ${colors.bold(subject)}  ${oneLine(message)}`);
      if (fix !== undefined) terminal.print(`  ${colors.yellow('→')} ${fix}`);
    }
  }

  const directory = dataDirectory(env);
  tell(examineNode(), await examineDataDirectory(directory), await examineKey(directory, env));
  const config = await loadConfig(context, tell);
  if (config) {
    tell(await examineGateway(config.gateway, directory));
    tell(...(await examineCommands(config, env)), ...examineReferences(config, env));
    await using opened = await openToolbox(context, { tolerant: true, tells: () => true });
    terminal.status();
    tell(...examineConnections(opened.servers));
  }
  const bad = findings.filter(({ ok }) => !ok).length;
  if (json) terminal.print(jsonText({ ok: bad === 0, findings }));
  else terminal.print(bad === 0 ? colors.green('all good') : colors.red(`${count(bad, 'thing')} to put right`));
  return bad === 0 ? exitCodes.ok : exitCodes.problem;
}

async function loadConfig(
  { options, env }: CommandContext,
  tell: (...found: readonly Finding[]) => void,
): Promise<Config | undefined> {
  const subject = 'configuration';
  try {
    const { config, file, warnings } = await openConfig(options.config ?? (await findConfigFile(process.cwd())), {
      env,
    });
    tell(good(subject, file ?? 'no toolwharf.yaml here: the default servers'));
    tell(...warnings.map((warning) => wrong(subject, warning)));
    return config;
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    const problems = (cause.data.problems ?? []) as readonly Problem[];
    if (problems.length === 0) tell(wrong(subject, messageOf(cause)));
    else tell(...problems.map((problem) => wrong(subject, problemLine(problem))));
    return undefined;
  }
}
