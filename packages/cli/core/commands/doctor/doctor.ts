import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import { dataDirectory } from '../../../../toolwharf/config/data-directory.ts';
import type { LoadedConfig } from '../../../../toolwharf/config/loaded-config.ts';
import { openConfig } from '../../../../toolwharf/config/open-config.ts';
import { type Problem, problemLine } from '../../../../toolwharf/config/problems.ts';
import { openOwnServers, openRunning } from '../../client/open-tools.ts';
import { type ConfigSummary, describeConfig } from '../../client/opened-tools.ts';
import { selectGateway } from '../../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodes } from '../../errors.ts';
import { count, jsonText, oneLine, wrap } from '../../terminal/format.ts';
import { checkCommands, checkConnections, checkReferences } from './check-servers.ts';
import {
  checkDataDirectory,
  checkGateway,
  checkMasterKey,
  checkNode,
  checkRunning,
  type DoctorCheck,
  type Finding,
  failed,
  passed,
} from './check-system.ts';

/** Creates `toolwharf doctor`, which runs every check of this installation and suggests a fix for each failure. */
export function createDoctor(checks: readonly DoctorCheck[]) {
  return { doctor: (options: JsonOption, context: CommandContext) => diagnose(options, context, checks) };
}

async function diagnose(
  { json }: JsonOption,
  context: CommandContext,
  checks: readonly DoctorCheck[],
): Promise<number> {
  const { terminal, env } = context;
  const { colors } = terminal;
  const findings: Finding[] = [];

  function report(...found: readonly Finding[]): void {
    findings.push(...found);
    if (json) return;
    for (const { subject, ok, message, fix } of found) {
      const text = wrapped(`${subject}  ${oneLine(message)}`).replace(subject, () => colors.bold(subject));
      terminal.print(`${ok ? colors.green('✔') : colors.red('✖')} ${text}`);
      if (fix !== undefined) terminal.print(`  ${colors.yellow('→')} ${wrapped(fix)}`);
    }
  }

  function wrapped(text: string): string {
    const named = terminal.name(text);
    return terminal.isPerson ? wrap(named, terminal.width - 4).join('\n    ') : named;
  }

  const gateway = await selectGateway(context);
  const directory = dataDirectory(env);
  report(checkNode(), await checkDataDirectory(directory), await checkMasterKey(directory, env));
  if (gateway) {
    await using opened = await openRunning(gateway, context);
    report(...describeGatewayConfig(opened.config), await checkRunning(gateway.url, directory));
    for (const check of checks) report(...(await check({ client: gateway, env })));
    report(...describePlugins(opened.config), ...checkConnections(opened.servers, gateway.url));
  } else {
    const loaded = await loadConfig(context, report);
    const config = loaded?.config;
    if (config) {
      report(await checkGateway(config.gateway, directory), ...(await checkCommands(config, context)));
      report(...checkReferences(config, env, loaded?.unset));
      for (const check of checks) report(...(await check({ config, env })));
      report(...(await checkToolbox(context)));
    }
  }
  const failures = findings.filter(({ ok }) => !ok).length;
  if (json) terminal.print(jsonText({ ok: failures === 0, findings }));
  else if (failures === 0) terminal.print(colors.green('No problems found'));
  else terminal.print(colors.red(`${count(failures, 'problem')} found`));
  return failures === 0 ? exitCodes.ok : exitCodes.problem;
}

/** Loads the plugins and local tools, and connects the servers. */
async function checkToolbox(context: CommandContext): Promise<readonly Finding[]> {
  try {
    await using opened = await openOwnServers(context, { tolerant: true, suppressLog: () => true });
    context.terminal.status();
    return [...describePlugins(opened.config), ...checkConnections(opened.servers)];
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || cause.code !== 'CONFIG_INVALID') throw cause;
    return describeProblems(cause);
  }
}

function describePlugins({ plugins = [] }: ConfigSummary): readonly Finding[] {
  const added = plugins.filter(({ feature }) => feature === undefined);
  return added.map(({ name, module, parts, mode, exported, dropped = 0 }) => {
    const subject = `plugin ${oneLine(name)}`;
    const origin = module === undefined ? '' : ` from ${oneLine(module)}`;
    const text = `${parts.map(oneLine).join(', ') || 'no parts'}${origin}${mode === 'shadow' ? ', in shadow mode' : ''}`;
    if (dropped === 0) return passed(subject, text);
    const counts = `${exported} calls and events exported, ${dropped} dropped`;
    return failed(subject, `${text}: ${counts}`, 'see the log for the cause: its exporter is too slow, or fails');
  });
}

function describeProblems(cause: ToolwharfError): readonly Finding[] {
  const subject = 'configuration';
  const problems = (cause.data.problems ?? []) as readonly Problem[];
  if (problems.length === 0) return [failed(subject, messageOf(cause))];
  return problems.map((problem) => failed(subject, problemLine(problem)));
}

/** The configuration that the gateway uses, which need not be that of the working directory. */
function describeGatewayConfig(config: ConfigSummary): readonly Finding[] {
  const subject = 'configuration';
  const { refused, warnings = [] } = config;
  return [
    passed(subject, describeConfig(config)),
    ...(refused === undefined ? [] : [failed(subject, refused, 'correct the file: the gateway uses the previous one')]),
    ...warnings.map((warning) => failed(subject, warning)),
  ];
}

async function loadConfig(
  { options, env, cwd }: CommandContext,
  report: (...found: readonly Finding[]) => void,
): Promise<LoadedConfig | undefined> {
  const subject = 'configuration';
  try {
    const loaded = await openConfig(options.config, { env, cwd });
    const { file, warnings } = loaded;
    report(passed(subject, file ?? 'no toolwharf.yaml in this directory; using the default servers'));
    report(...warnings.map((warning) => failed(subject, warning)));
    return loaded;
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    report(...describeProblems(cause));
    return undefined;
  }
}
