import type { PolicyRuleView } from '../../../contract/api/policy.ts';
import { policyRoutes as routes } from '../../../contract/routes/policy.ts';
import type { PluginMode, PolicyAction } from '../../../contract/settings/choices.ts';
import type { PolicyRule } from '../../../contract/settings/config.ts';
import type { CheckedPolicy, CheckedPolicyRule } from '../../../contract/settings/policy-schema.ts';
import { buildPolicy } from '../../../toolwharf/config/build-config.ts';
import { configError, formatPath } from '../../../toolwharf/config/problems.ts';
import { type Condition, ConditionError } from '../../../toolwharf/features/policy/cel/compile.ts';
import { type CompiledRule, compileRule, compileRules } from '../../../toolwharf/features/policy/compile-rules.ts';
import { judge, readValues } from '../../../toolwharf/features/policy/judge.ts';
import { policyVariables } from '../../../toolwharf/features/policy/variables.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { ConfigProblem } from '../../../toolwharf/plugins/plugin.ts';
import { readOnlyReason } from '../../core/records/administer.ts';
import { findReadableCall, noCall } from '../../core/rest/access.ts';
import { withCurrent } from '../../core/rest/revision-conflict.ts';
import { type ApiPorts, implement } from '../../core/rest/route.ts';
import { explainCall } from './explain-call.ts';
import { proposeRules } from './propose-rules.ts';
import { createRecordedCalls, type RecordedCall } from './recorded-call.ts';
import { replayPage } from './replay.ts';
import { type RuleSettings, rulePorts, type UsedRule } from './stored-rules.ts';

const dayMs = 86_400_000;
const decisionBuckets = 28;
const latestDecisions = 10;

/** The calls that the counts of rules are about. */
const countedCalls = 1_000;

export const policyRoutes = [
  implement(routes.getPolicy, {
    async handle(_request, ports) {
      const calls = await ports.storage.journal.list({ limit: countedCalls, kind: 'calls' });
      const found = calls.flatMap(({ policy = [] }) => policy);
      const rules = ports
        .of(rulePorts)
        .list()
        .map((used) => {
          const shown = show(used, ports);
          const own = found.filter(({ id, mode, flow }) => id === shown.id && mode === shown.mode && !flow);
          return {
            ...shown,
            decided: own.filter(({ failed }) => !failed).length,
            failed: own.filter(({ failed }) => failed).length,
          };
        });
      const variables = policyVariables.map(({ name, type, description, parameters }) => ({
        ...{ name, type, description },
        parameters: parameters?.map((parameter) => parameter.name),
      }));
      return { rules, calls: calls.length, variables };
    },
  }),
  implement(routes.createPolicyRule, {
    async handle({ body: { id, ...settings } }, ports) {
      const stored = ports.of(rulePorts);
      await stored.add(id, withDefaults(settings));
      return show(stored.find(id), ports);
    },
  }),
  implement(routes.updatePolicyRule, {
    async handle({ params: { rule: id }, body: { revision, ...settings } }, ports) {
      const stored = ports.of(rulePorts);
      const showNow = async () => show(stored.find(id), ports);
      await withCurrent(() => stored.update(id, withDefaults(settings), revision), showNow);
      return showNow();
    },
  }),
  implement(routes.removePolicyRule, {
    handle: ({ params: { rule } }, ports) => ports.of(rulePorts).remove(rule),
  }),
  implement(routes.countDecisions, {
    async handle({ query: { days } }, { storage }) {
      const until = Date.now();
      const since = until - days * dayMs;
      const bucketMs = Math.ceil((until - since) / decisionBuckets);
      const rules = await storage.callCounts.countRules({ since, until, bucketMs }, latestDecisions);
      return {
        ...{ since: new Date(since).toISOString(), bucketMs },
        rules: rules.map(({ id, mode, effect, buckets, latest }) => {
          const calls = Array<number>(decisionBuckets).fill(0);
          for (const { bucket, calls: count } of buckets) calls[bucket] = count;
          return {
            ...{ id, mode: mode as PluginMode, effect: effect as PolicyAction, calls },
            latest: latest.map(({ at, ...call }) => ({ ...call, at: new Date(at).toISOString() })),
          };
        }),
      };
    },
  }),
  implement(routes.proposeRules, {
    async handle({ query: { days } }, { storage }) {
      const proposals = await proposeRules(storage.approvals.answers(Date.now() - days * dayMs));
      return { days, proposals: [...proposals] };
    },
  }),
  implement(routes.explainCall, {
    access: findReadableCall,
    async handle({ resource: record }, ports) {
      const { toolbox } = ports;
      const { server, originalName, kind } = record;
      const { profiles, toolbox: settings } = toolbox.config;
      const entry = kind === undefined ? toolbox.catalog.find({ server, tool: originalName }) : undefined;
      const rules = rulesInUse(ports);
      const profile = profiles.find(({ name }) => name === record.profile);
      const ofFeatures = await Promise.all(ports.features.map((feature) => feature.policyOf?.(record.caller)));
      const policyFor = ofFeatures.find((found) => found !== undefined);
      const ofCaller = entry && policyFor?.(entry).approval;
      return explainCall({
        ...{ record, entry, rules, recorded: await readCall(record, ports, conditionsOf(rules)) },
        approval: ofCaller ?? profile?.approval ?? settings.approval,
        remembered: await toolbox.approvals.rules(),
      });
    },
  }),
  implement(routes.replayPolicy, {
    async handle({ body: { rules, since, after }, signal }, ports) {
      const given = compileGiven({ rules: [...rules] });
      const stored = ports
        .of(rulePorts)
        .list()
        .filter(({ record, rule }) => record && !given.some(({ id }) => id === rule.id));
      return replayPage([...given, ...stored.map(({ rule }) => rule)], {
        ...{ signal, after, audit: ports.storage.audit, find: ports.storage.journal.get },
        toRecorded: openRecordedCalls(ports),
        since: since === undefined ? undefined : Date.parse(since),
      });
    },
  }),
  implement(routes.tryCondition, {
    async handle({ body: { when, call: id } }, ports) {
      const record = await ports.storage.journal.get(id);
      if (!record || record.kind === 'administration') throw noCall(id);
      return tryCondition(when, record, (conditions) => readCall(record, ports, conditions));
    },
  }),
];

async function tryCondition(
  when: string,
  record: CallRecord,
  read: (conditions: readonly Condition[]) => Promise<RecordedCall>,
) {
  try {
    const rule: PolicyRule = { id: 'trial', when, then: 'ask', mode: 'enforce', onFailure: 'ask', examples: [] };
    const condition = compileRule(rule);
    const { facts } = await read([condition]);
    const now = new Date(record.createdAt);
    const [outcome] = judge([{ ...rule, condition }], facts, now);
    const values = [...readValues(condition, facts, now)];
    if (outcome?.failure !== undefined) return { failure: outcome.failure, values };
    return { applies: outcome?.effect !== undefined, values };
  } catch (cause) {
    if (!(cause instanceof ConditionError)) throw cause;
    return { problem: { message: cause.reason, line: cause.line, column: cause.column }, values: [] };
  }
}

async function readCall(record: CallRecord, ports: ApiPorts, conditions: readonly Condition[]): Promise<RecordedCall> {
  const { parent } = record;
  const parentRecord = parent?.kind === 'call' ? await ports.storage.journal.get(parent.id) : undefined;
  return openRecordedCalls(ports)(record, parentRecord, conditions);
}

function openRecordedCalls({ toolbox, storage, security }: ApiPorts) {
  return createRecordedCalls({ toolbox, persons: security.persons, journal: storage.journal });
}

const rulesInUse = (ports: ApiPorts) =>
  ports
    .of(rulePorts)
    .list()
    .map(({ rule }) => rule);

const conditionsOf = (rules: readonly CompiledRule[]) => rules.map(({ condition }) => condition);

/** A rule as the API shows it. */
function show({ rule, record, problem }: UsedRule, { toolbox }: ApiPorts): PolicyRuleView {
  const { condition: _, profiles, examples, classes, ...settings } = rule;
  return {
    ...settings,
    profiles: profiles && [...profiles],
    classes: classes as PolicyRuleView['classes'],
    examples: examples as PolicyRuleView['examples'],
    source: record ? 'store' : 'file',
    readOnly: record ? undefined : readOnlyReason('rule', rule.id, toolbox.loaded.file),
    ...{ problem, updatedAt: record?.updatedAt, revision: record?.revision },
  };
}

function withDefaults(settings: Omit<CheckedPolicyRule, 'id'>): RuleSettings {
  const { mode = 'enforce', onFailure = 'ask', examples = [], ...rest } = settings;
  return { ...rest, mode, onFailure, examples };
}

/** Rules of a request. Throws `CONFIG_INVALID` with every problem. */
function compileGiven(given: CheckedPolicy): readonly CompiledRule[] {
  const problems: ConfigProblem[] = [];
  const rules = compileRules(buildPolicy(given)?.rules ?? [], (problem) => problems.push(problem));
  if (problems.length === 0) return rules;
  throw configError(problems.map(({ path, message }) => ({ path: formatPath(path), message })));
}
