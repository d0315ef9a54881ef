import { findConfigFile } from '../../../toolwharf/config/load-config.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import { configError, type Finding, formatPath } from '../../../toolwharf/config/problems.ts';
import { type CompiledRule, compileRules } from '../../../toolwharf/features/policy/compile-rules.ts';
import { tryExamples } from '../../../toolwharf/features/policy/try-examples.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { count, jsonText, oneLine } from '../../core/terminal/format.ts';
import { printList } from '../../core/terminal/print-table.ts';

/** `toolwharf policy check`: lists the rules of a configuration, or every reason why they cannot be used. */
export async function checkPolicy(
  file: string | undefined,
  { json }: JsonOption,
  context: CommandContext,
): Promise<number> {
  const { rules } = await loadRules(file, context);
  printList(context.terminal, rules.map(withoutCondition), {
    json,
    empty: noRules,
    columns: {
      ID: ({ id }) => id,
      THEN: ({ then }) => then,
      MODE: ({ mode }) => mode,
      'ON FAILURE': ({ onFailure }) => onFailure,
      PROFILES: ({ profiles }) => profiles?.join(', ') ?? 'all',
      EXAMPLES: ({ examples }) => `${examples.length}`,
      WHEN: ({ when }) => oneLine(when),
    },
    main: ['ID', 'THEN', 'MODE', 'WHEN'],
    optional: ['EXAMPLES', 'PROFILES', 'ON FAILURE'],
  });
  return exitCodes.ok;
}

/** `toolwharf policy test`: tries each rule with the examples beside it. */
export async function testPolicy(
  file: string | undefined,
  { json }: JsonOption,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const { colors } = terminal;
  const { rules } = await loadRules(file, context);
  const now = new Date();
  const tried = rules.map((rule) => ({ rule, failed: tryExamples(rule, now) }));
  const total = rules.reduce((sum, { examples }) => sum + examples.length, 0);
  const failures = tried.reduce((sum, { failed }) => sum + failed.length, 0);
  if (json) {
    const shown = tried.map(({ rule: { id, examples }, failed }) => ({ id, examples: examples.length, failed }));
    terminal.print(jsonText({ ok: failures === 0, rules: shown }));
    return failures === 0 ? exitCodes.ok : exitCodes.problem;
  }
  for (const { rule, failed } of tried) {
    const mark = failed.length > 0 ? colors.red('✖') : rule.examples.length > 0 ? colors.green('✔') : colors.dim('–');
    terminal.print(`${mark} ${oneLine(rule.id)}  ${colors.dim(count(rule.examples.length, 'example'))}`);
    for (const { number, reason } of failed)
      terminal.print(`  ${colors.yellow('!')} example ${number}: ${oneLine(reason)}`);
  }
  if (rules.length === 0) terminal.print(noRules);
  else if (failures === 0) terminal.print(colors.green(`All ${count(total, 'example')} have the stated outcome`));
  else terminal.print(colors.red(`${count(failures, 'example')} of ${total} failed`));
  return failures === 0 ? exitCodes.ok : exitCodes.problem;
}

const noRules = 'The configuration has no policy rules.';

/** The compiled rules of a configuration. Throws `CONFIG_INVALID` with every problem and its position. */
async function loadRules(
  file: string | undefined,
  { options, env, cwd }: CommandContext,
): Promise<{ readonly rules: readonly CompiledRule[] }> {
  const source = file ?? options.config ?? (await findConfigFile(cwd));
  const loaded = await openConfig(source, { env, cwd });
  const problems: Finding[] = [];
  const rules = compileRules(loaded.config.policy?.rules ?? [], (problem) => problems.push(problem));
  if (problems.length === 0) return { rules };
  const shown = problems.map(({ path, message }) => ({ path: formatPath(path), message }));
  throw loaded.toError?.(problems) ?? configError(shown, loaded.file);
}

function withoutCondition({ condition: _, ...rule }: CompiledRule) {
  return rule;
}
