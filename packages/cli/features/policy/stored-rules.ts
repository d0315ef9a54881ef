import { requireStored } from '../../core/client/open-stored.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { jsonText, oneLine } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';

/** `toolwharf policy rules`: lists the rules of the running gateway: those of its file, and the stored ones. */
export async function listPolicyRules({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { rules } = await (await requireStored(context)).getPolicy();
  printList(context.terminal, rules, {
    json,
    empty: 'The policy has no rules. Store one with `toolwharf policy set ID --when CONDITION --then ask`.',
    columns: {
      ID: ({ id }) => oneLine(id),
      SOURCE: ({ source }) => source,
      THEN: ({ then }) => then,
      MODE: ({ mode }) => mode,
      DECIDED: ({ decided }) => `${decided}`,
      WHEN: ({ when, problem }) => oneLine(problem ?? when),
    },
    main: ['ID', 'THEN', 'MODE', 'WHEN'],
    optional: ['DECIDED', 'SOURCE'],
  });
  return exitCodes.ok;
}

export interface SetRuleOptions extends JsonOption {
  readonly when?: string;
  readonly then?: string;
  readonly add?: string;
  readonly class?: readonly string[];
  readonly reason?: string;
  readonly mode?: string;
  readonly onFailure?: string;
  readonly profile?: readonly string[];
}

/** `toolwharf policy set`: stores a rule, or changes the given settings of a stored one. */
export async function setPolicyRule(id: string, options: SetRuleOptions, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const before = (await gateway.getPolicy()).rules.find((rule) => rule.id === id);
  const { json, when, then, add, class: classes, reason, mode, onFailure, profile: profiles } = options;
  const given = Object.entries({ when, then, add, classes, reason, mode, onFailure, profiles }).filter(
    ([, value]) => value !== undefined,
  );
  // The gateway rejects what is missing or wrong.
  const settings = Object.fromEntries(given) as { when: string; then: 'ask' };
  const saved = before
    ? await gateway.updatePolicyRule({ path: { rule: id }, body: { ...toSettings(before), ...settings } })
    : await gateway.createPolicyRule({ body: { ...settings, id } });
  context.terminal.print(json ? jsonText(saved) : `Saved: ${oneLine(saved.id)}  ${saved.then}, ${saved.mode}`);
  return exitCodes.ok;
}

type Rule = Awaited<ReturnType<Awaited<ReturnType<typeof requireStored>>['getPolicy']>>['rules'][number];

/** The settings of a rule in the format of a request. */
function toSettings({ when, then, add, classes, reason, mode, onFailure, profiles, examples, revision }: Rule) {
  return { when, then, add, classes, reason, mode, onFailure, profiles, examples, revision } as never as Pick<
    Rule,
    'when' | 'then'
  >;
}

/** `toolwharf policy remove`: deletes a stored rule. */
export async function removePolicyRule(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  await gateway.removePolicyRule({ path: { rule: id } });
  printDone(context.terminal, options, `Removed: ${oneLine(id)}`, { id });
  return exitCodes.ok;
}
