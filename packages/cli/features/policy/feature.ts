import { pluginModes, policyActions, policyFailures } from '../../../contract/settings/choices.ts';
import {
  addCommand,
  type CommandFeature,
  choice,
  commandsOf,
  groups,
  idArgument,
  json,
  repeatable,
} from '../../core/program/command-actions.ts';

const failOn = ['approved', 'ran', 'any', 'none'];

/** `policy`. */
export const policy: CommandFeature = {
  name: 'policy',
  group: groups.access,
  after: 'rules',
  add(root, run) {
    const add = commandsOf(run, () => import('./policy.ts'));
    const policy = addCommand(root, 'policy', 'Check, test and explain the conditions over calls');
    const file = ['[file]', 'Configuration file (default: the one in use)'] as const;
    const local = { args: [file], options: [json], withoutGateway: true };
    add(policy, 'check', 'Check that every rule compiles, and list the rules', 'checkPolicy', local);
    add(policy, 'test', 'Try each rule with the examples beside it', 'testPolicy', local);
    const stored = commandsOf(run, () => import('./stored-rules.ts'));
    const id = ['<id>', 'Id of the rule'] as const;
    const rules = 'List the rules of the running gateway: those of its file, and the stored ones';
    stored(policy, 'rules', rules, 'listPolicyRules', { options: [json], gatewayOnly: true });
    stored(policy, 'set', 'Store a rule, or change the given settings of a stored one', 'setPolicyRule', {
      ...{ args: [id], gatewayOnly: true },
      options: [
        ['--when <condition>', 'Condition in CEL'],
        choice('--then <effect>', 'What happens to calls for which it is true', policyActions),
        ['--add <label>', 'Label that `--then label` adds'],
        repeatable('--class <name>', 'Class of values that `--then redact` masks; can be repeated (default: all)'),
        ['--reason <text>', 'Text for the person who is asked and the caller who is denied'],
        choice('--mode <mode>', 'shadow only records (default: enforce)', pluginModes),
        choice('--on-failure <effect>', 'For calls without a value (default: ask)', policyFailures),
        repeatable('--profile <name>', 'Only for this profile; can be repeated'),
        json,
      ],
    });
    stored(policy, 'remove', 'Delete a stored rule', 'removePolicyRule', {
      ...{ args: [id], options: [json], gatewayOnly: true },
    });
    const explain = 'Print which lines of the configuration decide a recorded call, with the values they read';
    add(policy, 'explain', explain, 'explainCall', { args: [idArgument], options: [json] });
    add(
      policy,
      'replay',
      'Judge recorded calls with changed rules, and print those that they decide otherwise',
      'replayPolicy',
      {
        args: [file],
        options: [
          ['--since <time>', 'Calls since a time, or a duration such as 7d (default: all in the journal)'],
          choice('--fail-on <calls>', 'Exit with 1 for these calls (default: approved)', failOn),
          json,
        ],
        help: `--fail-on: approved: calls that a person allowed and the rules deny; ran: all calls that ran and the rules
deny; any: every call that is decided otherwise; none.`,
      },
    );
  },
};
