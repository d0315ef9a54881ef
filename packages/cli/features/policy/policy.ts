import { findConfigFile } from '../../../toolwharf/config/load-config.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import { configError, type Finding, formatPath } from '../../../toolwharf/config/problems.ts';
import { type CompiledBudget, compileBudgets } from '../../../toolwharf/features/budgets/compile-budgets.ts';
import { type CompiledRule, compileRules } from '../../../toolwharf/features/policy/compile-rules.ts';
import { tryExamples } from '../../../toolwharf/features/policy/try-examples.ts';
import type { GatewayClient } from '../../core/client/gateway-client.ts';
import { requireStored } from '../../core/client/open-stored.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { describeRule, findCall, toTime } from '../../core/commands/calls.ts';
import { exitCodes } from '../../core/errors.ts';
import { count, jsonText, oneLine, shortId } from '../../core/terminal/format.ts';
import { printList } from '../../core/terminal/print-table.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';

/** `toolwharf policy check`: lists the rules of a configuration, or every reason why they cannot be used. */
export async function checkPolicy(
  file: string | undefined,
  { json }: JsonOption,
  context: CommandContext,
): Promise<number> {
  const { rules, budgets, profiles } = await loadRules(file, context);
  const unknown = new Set(rules.flatMap((rule) => rule.profiles ?? []).filter((name) => !profiles.includes(name)));
  // Profiles can also be stored over the API, so that this is no error.
  if (unknown.size > 0)
    context.terminal.note(`Not in this file: ${[...unknown].map((name) => `profile ${name}`).join(', ')}`);
  if (budgets.length > 0)
    context.terminal.note(`${count(budgets.length, 'budget')}: ${budgets.map(({ id }) => oneLine(id)).join(', ')}`);
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
  const tried = await Promise.all(rules.map(async (rule) => ({ rule, failed: await tryExamples(rule, now) })));
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

/** `toolwharf policy explain`: prints every line that could decide a recorded call, and marks those that do. */
export async function explainCall(id: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const { colors } = terminal;
  const gateway = await requireStored(context);
  const path = { call: (await findCall(id, gateway)).id };
  const explanation = await gateway.explainCall({ path });
  if (json) {
    terminal.print(jsonText(explanation));
    return exitCodes.ok;
  }
  const { tool, policy, rule, approval } = await gateway.getCall({ path });
  terminal.print(`${colors.bold(oneLine(tool))}  now: ${explanation.decision}`);
  const recorded = [
    ...(policy ?? []).map(describeRule),
    ...(rule === undefined ? [] : [`allow by the remembered answer ${rule}`]),
    ...(approval ? [`${approval.answer} by ${approval.by ?? 'a person'}`] : []),
  ];
  if (recorded.length > 0) terminal.print(`${colors.dim('then')}  ${oneLine(recorded.join(', '))}`);
  for (const line of explanation.lines) {
    const mark = line.decided ? colors.green('→') : ' ';
    const effect = (line.effect ?? '–').padEnd(5);
    const name = line.source === 'policy' ? `rule ${line.rule}` : line.source;
    const shadow = line.shadow ? colors.dim(' (shadow)') : '';
    terminal.print(`${mark} ${effect} ${oneLine(name)}${shadow}  ${colors.dim(oneLine(line.text))}`);
    for (const { name, value } of line.values ?? []) terminal.print(`          ${oneLine(name)} = ${oneLine(value)}`);
    if (line.failure !== undefined)
      terminal.print(`          ${colors.yellow('!')} no value: ${oneLine(line.failure)}`);
  }
  for (const note of explanation.notes) terminal.note(note);
  return exitCodes.ok;
}

export interface ReplayOptions extends JsonOption {
  readonly since?: string;
  readonly failOn?: 'approved' | 'ran' | 'any' | 'none';
}

/** `toolwharf policy replay`: verifies the journal, then judges its calls with the rules of a file. */
export async function replayPolicy(
  file: string | undefined,
  { json, since: given, failOn = 'approved' }: ReplayOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, signal } = context;
  const { colors } = terminal;
  const { rules } = await loadRules(file, context);
  const body = { rules: rules.map(toInput), since: given === undefined ? undefined : toTime(given) };
  const gateway = await requireStored(context);
  terminal.status('Verifying the journal …');
  const { findings } = await gateway.verifyAudit();
  if (findings.length > 0) {
    terminal.status();
    const message = `The journal has ${count(findings.length, 'problem')}: run \`toolwharf audit verify\``;
    terminal.print(json ? jsonText({ ok: false, message }) : colors.red(message));
    return exitCodes.problem;
  }
  const flips: Flip[] = [];
  let [judged, unknown] = [0, 0];
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted();
    const page: ReplayPage = await gateway.replayPolicy({ body: { ...body, after }, signal });
    if (!json) for (const flip of page.flips) terminal.print(flipLine(flip, terminal));
    flips.push(...page.flips);
    judged += page.judged;
    unknown += page.unknown;
    terminal.status(
      `${count(judged, 'call')} judged, ${Math.floor((100 * page.at) / Math.max(1, page.head))} % of the journal`,
    );
    after = page.next;
  }
  terminal.status();
  const failing = flips.filter((flip) => fails(flip, failOn)).length;
  if (json) terminal.print(jsonText({ ok: failing === 0, judged, unknown, failing, flips }));
  else {
    terminal.print(`${count(judged, 'call')} judged, ${flips.length} decided otherwise`);
    if (unknown > 0)
      terminal.note(`${count(unknown, 'call')} could not be judged: the journal lacks what a condition reads`);
    if (failing > 0)
      terminal.print(colors.red(`${count(failing, 'call')} ${failing === 1 ? 'fails' : 'fail'} --fail-on ${failOn}`));
  }
  return failing === 0 ? exitCodes.ok : exitCodes.problem;
}

type ReplayPage = Awaited<ReturnType<GatewayClient['replayPolicy']>>;
type Flip = ReplayPage['flips'][number];

function fails({ before, after, person }: Flip, failOn: NonNullable<ReplayOptions['failOn']>): boolean {
  if (failOn === 'any') return true;
  if (failOn === 'none' || after !== 'denied') return false;
  return failOn === 'approved' ? person === 'allow' : before === 'allowed' || person === 'allow';
}

function flipLine({ id, at, tool, caller, before, after, person, by, rules }: Flip, { colors }: Terminal): string {
  const answer = person && `${person === 'allow' ? 'allowed' : 'denied'} by ${by ?? 'a person'}`;
  const then = answer === undefined ? before : `${before}, ${answer}`;
  const now = after === 'denied' ? colors.red(after) : after === 'asked' ? colors.yellow(after) : colors.green(after);
  const why = rules.length > 0 ? colors.dim(`  ${oneLine(rules.join(', '))}`) : '';
  return `${shortId(id)}  ${at}  ${oneLine(tool)}  ${oneLine(caller)}  ${oneLine(then)} → ${now}${why}`;
}

/** A rule as the gateway takes it. The examples are not needed there. */
function toInput({ id, when, then, add, classes, mode, onFailure, profiles }: CompiledRule) {
  return { id, when, then, add, classes: classes as never, mode, onFailure, profiles };
}

const noRules = 'The configuration has no policy rules.';

/** The compiled rules of a configuration. Throws `CONFIG_INVALID` with every problem and its position. */
async function loadRules(
  file: string | undefined,
  { options, env, cwd }: CommandContext,
): Promise<{
  readonly rules: readonly CompiledRule[];
  readonly budgets: readonly CompiledBudget[];
  readonly profiles: readonly string[];
}> {
  const source = file ?? options.config ?? (await findConfigFile(cwd));
  const loaded = await openConfig(source, { env, cwd });
  const problems: Finding[] = [];
  const rules = compileRules(loaded.config.policy?.rules ?? [], (problem) => problems.push(problem));
  const budgets = compileBudgets(loaded.config.budgets ?? [], (problem) => problems.push(problem));
  if (problems.length === 0) return { rules, budgets, profiles: loaded.config.profiles.map(({ name }) => name) };
  const shown = problems.map(({ path, message }) => ({ path: formatPath(path), message }));
  throw loaded.toError?.(problems) ?? configError(shown, loaded.file);
}

function withoutCondition({ condition: _, ...rule }: CompiledRule) {
  return rule;
}
