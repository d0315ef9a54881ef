import type { DataFlow, DataSource } from '../../../contract/api/data-flows.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { FlowRule, FlowsConfig } from '../../../contract/settings/config.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import {
  type ConfiguredHooks,
  definePlugin,
  type Plugin,
  type PluginContext,
  type ReviewVerdict,
} from '../../plugins/plugin.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import type { DecidingRule, PluginCall, ReviewedCall } from '../../policy/review.ts';
import { toComparable } from '../policy/comparable.ts';
import type { CompiledRule } from '../policy/compile-rules.ts';
import { judge, toDecidingRules, toVerdict } from '../policy/judge.ts';
import { toValues } from '../policy/variables.ts';
import { type CompiledFlow, type CompiledLabel, compileFlows } from './compile-flows.ts';
import {
  type Bounds,
  type Context,
  type Contexts,
  contextOf,
  createContexts,
  createHashCache,
  type Source,
} from './contexts.ts';
import { fingerprint, innerTexts, type Segment, segmentsOf } from './fingerprints.ts';
import { sourcesOf, traceCall } from './trace-call.ts';

export interface FlowsOptions {
  readonly now?: () => number;
  readonly bounds?: Bounds;
}

/** Applies labels and data flows of the configuration. Without them it has no hooks, so that calls do not wait for it. */
export function createFlowsPlugin(options: FlowsOptions = {}): Plugin {
  const cache = createHashCache();
  return definePlugin({
    name: 'toolwharf.flows',
    section: 'flows',
    records: { shelves: { isSealed: true }, hashes: { isSealed: true } },
    configure(config, report) {
      const { flows: settings } = config;
      if (!settings) return {};
      const compiled = compileFlows(settings, report);
      return createHooks({ ...compiled, labelsExpireMs: settings.labelsExpireMs, now: Date.now, ...options }, cache);
    },
  });
}

interface Settings extends Pick<FlowsConfig, 'labelsExpireMs'> {
  readonly labels: readonly CompiledLabel[];
  readonly flows: readonly CompiledFlow[];
  readonly now: () => number;
  readonly bounds?: Bounds;
}

/** The number of sources that are recorded with a call, and of their origins. */
const maxSources = 20;

function createHooks(settings: Settings, cache: ReturnType<typeof createHashCache>): ConfiguredHooks {
  const { flows, now, bounds, labelsExpireMs: expireMs } = settings;
  const contextsIn = ({ records }: Pick<PluginContext, 'records'>) =>
    createContexts({ records, now, expireMs, ...(bounds && { bounds }) }, cache);
  return {
    async trace(call, plugin) {
      const contexts = contextsIn(plugin);
      const context = await contexts.read(contextOf(call.caller));
      const sources = await traceCall(call, context, contexts);
      const contextLabels = [...context.labels];
      return {
        ...(sources.length > 0 && { sources: summarize(sources) }),
        ...(contextLabels.length > 0 && { contextLabels }),
      };
    },
    ...(flows.length > 0 && {
      async review(call, plugin) {
        return reviewCall(call, flows, () => contextsIn(plugin).read(contextOf(call.caller)), new Date(now()));
      },
      async allowFlow(request, plugin) {
        const contexts = contextsIn(plugin);
        for (const flow of request.flows ?? []) {
          const rule = flows.find(({ id }) => id === flow.id);
          if (rule) await contexts.allow(contextOf(request.caller), keysOf(toRule(rule), request, flow));
        }
      },
    }),
    async result(call, result, plugin) {
      const contexts = contextsIn(plugin);
      const source = await toSource(call, result, settings, contexts);
      if (source.labels.length === 0) return undefined;
      const hashes = new Set<number>();
      const isWhole = fingerprint(contentOf(result), contexts.bounds.hashesPerSource, (hash) => hashes.add(hash));
      await contexts.addSource(contextOf(call.caller), source, isWhole ? hashes : undefined);
      return { kind: 'pass', labels: source.labels };
    },
  };
}

/** What flows decide for a call whose arguments or conversation have their labels. */
async function reviewCall(
  call: ReviewedCall,
  flows: readonly CompiledFlow[],
  readContext: () => Promise<Context>,
  now: Date,
): Promise<ReviewVerdict | undefined> {
  const labelled = flows.filter((flow) => labelsMet(flow, call).length > 0);
  if (labelled.length === 0) return undefined;
  const outcomes = judge(labelled.map(toRule), call, now).filter(({ effect }) => effect !== undefined);
  if (outcomes.length === 0) return undefined;
  const context = await readContext();
  const found = outcomes.map((outcome) => ({ outcome, flow: toDataFlow(outcome.rule, call, context) }));
  const isAllowed = ({ outcome: { rule, effect }, flow }: (typeof found)[number]) =>
    effect === 'ask' && keysOf(rule, call, flow).every((key) => context.allowed.includes(key));
  const open = found.filter((one) => !isAllowed(one));
  const rules = found.flatMap((one) =>
    toDecidingRules([isAllowed(one) ? { ...one.outcome, effect: 'allow' } : one.outcome]).map(
      (rule): DecidingRule => ({ ...rule, flow: true }),
    ),
  );
  const kind = toVerdict(open.map(({ outcome }) => outcome))?.kind;
  if (kind === undefined) return { kind: 'allow', rules };
  const deciding = open.filter(({ outcome: { rule, effect } }) => rule.mode === 'enforce' && effect === kind);
  const reason = deciding.map(({ outcome: { rule }, flow }) => describeFlow(rule, flow, call)).join('; ');
  return kind === 'deny' ? { kind, reason, rules } : { kind, reason, rules, flows: deciding.map(({ flow }) => flow) };
}

/** A flow whose labels a call has, as a rule. */
type LabelledFlow = ReturnType<typeof toRule>;

function toRule(flow: CompiledFlow) {
  return { ...flow, when: flow.to, examples: [] };
}

function labelsMet({ from, within }: FlowRule, { sources = [], contextLabels = [] }: ReviewedCall): readonly string[] {
  const present = within === 'arguments' ? sources.flatMap(({ labels }) => labels) : contextLabels;
  return from.filter((label) => present.includes(label));
}

function toDataFlow(rule: CompiledRule, call: ReviewedCall, context: Context): DataFlow {
  const { id, within } = rule as LabelledFlow;
  const labels = labelsMet(rule as LabelledFlow, call);
  const all = within === 'arguments' ? (call.sources ?? []) : sourcesOf(context);
  const sources = all.filter((source) => source.labels.some((label) => labels.includes(label)));
  return { id, labels, within, sources: summarize(sources) };
}

/** The path of data in words, without the data. */
function describeFlow(
  { id, reason }: CompiledRule,
  { labels, sources, within }: DataFlow,
  { server, originalName }: ReviewedCall,
): string {
  const from = sources.slice(0, 3).map((source) => {
    if (source.call === undefined) return 'earlier calls';
    const place = source.argument === undefined ? '' : ` (in ${source.argument})`;
    return `${nameOf(source.server, source.tool ?? '')}${place}, call ${source.call}`;
  });
  const more = sources.length > 3 ? ` and ${sources.length - 3} more calls` : '';
  const data = `${labels.join(' and ')} data of ${from.join('; ')}${more}`;
  const target = nameOf(server, originalName);
  const path =
    within === 'conversation'
      ? `the conversation has ${data}, and this calls ${target}`
      : `${target} would get ${data}`;
  return `${reason === undefined ? '' : `${reason}: `}${path} (flow '${id}')`;
}

const nameOf = (server: string | undefined, tool: string) => (server === undefined ? tool : `${server}/${tool}`);

/** What an answer for the conversation allows: this flow to this tool, for each label and each tool that brought the data. */
function keysOf(
  rule: CompiledRule,
  { server, originalName }: Pick<ReviewedCall | ApprovalRequest, 'server' | 'originalName'>,
  { labels, sources }: DataFlow,
): readonly string[] {
  const { from, to, then, within } = rule as LabelledFlow;
  const known = labels.flatMap((label) => {
    const brought = sources.filter((source) => source.labels.includes(label));
    return brought.flatMap(originsOf).map((one) => [label, one.server ?? null, one.tool]);
  });
  const keys = known.map((one) => hashOf([from, to, then, within, server ?? null, originalName, ...one]).slice(0, 24));
  return [...new Set(keys)];
}

const maxWork = 200_000;

/** A call with the labels of its result: by the rules, by other plugins, of the data in its arguments, and of the steps of a composed tool. */
async function toSource(
  call: PluginCall,
  result: JsonObject,
  { labels, now }: Settings,
  contexts: Contexts,
): Promise<Source> {
  const { id, server, originalName: tool, parent, caller, sources = [], labels: ofPlugins = [] } = call;
  const ofRules = labels.filter((label) => label.isFor(server, tool) && applies(label, call, result, now()));
  const steps = server === undefined ? (await contexts.read(contextOf(caller))).sources : [];
  const passed = [...sources.filter(({ kind }) => kind !== 'unknown'), ...steps.filter((step) => step.parent === id)];
  const isLabelled = ofRules.length > 0 || ofPlugins.length > 0;
  const origins = unique([...(isLabelled ? originsOf({ server, tool }) : []), ...passed.flatMap(originsOf)]);
  return {
    ...{ call: id, tool },
    labels: [...new Set([...ofPlugins, ...ofRules.map(({ add }) => add), ...passed.flatMap((one) => one.labels)])],
    ...(server !== undefined && { server }),
    ...(parent?.kind === 'call' && { parent: parent.id }),
    ...(passed.length > 0 && origins.length <= maxSources && { origins }),
  };
}

/** The tools from which data comes first. An empty name stands for those that are not known any more. */
function originsOf({ origins, server, tool = '' }: Pick<DataSource, 'origins' | 'server' | 'tool'>) {
  return origins ?? [{ ...(server !== undefined && { server }), tool }];
}

/** The first sources, and one for all others, so that no label is left out. */
function summarize(sources: readonly DataSource[]): readonly DataSource[] {
  if (sources.length <= maxSources) return sources;
  const others = sources.slice(maxSources - 1);
  const origins = unique(others.flatMap(originsOf));
  const labels = [...new Set(others.flatMap((source) => source.labels))];
  const rest: DataSource = { labels, kind: 'unknown', ...(origins.length <= maxSources && { origins }) };
  return [...sources.slice(0, maxSources - 1), rest];
}

function unique<Origin extends { readonly server?: string; readonly tool: string }>(origins: readonly Origin[]) {
  return [...new Map(origins.map((origin) => [nameOf(origin.server, origin.tool), origin])).values()];
}

/** A label without a value for a result is added. */
function applies({ condition }: CompiledLabel, call: PluginCall, result: JsonObject, now: number): boolean {
  if (!condition) return true;
  const { structuredContent, isError } = result;
  const text = segmentsOf(textsOf(result), false)
    .map((segment) => segment.text)
    .join('\n');
  const value = isObject(structuredContent) ? structuredContent : {};
  const facts = { text, value, isError: isError === true };
  const values = toValues(call, new Date(now));
  const budget = { left: maxWork };
  try {
    return [facts, toComparable(facts)].some((one) => condition.evaluate({ ...values, result: one }, budget));
  } catch {
    return true;
  }
}

/** The text blocks of a result, and the texts of resources and messages. */
function textsOf({ content, contents, messages }: JsonObject): unknown {
  const texts: string[] = [];
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    else if (isObject(part)) {
      if (typeof part.text === 'string') texts.push(part.text);
      else Object.values(part).forEach(visit);
    }
  };
  visit([content, contents, messages]);
  return texts;
}

/** What people and models get of a result: its texts and numbers, also those in texts that are JSON. */
function contentOf({ _meta, isError: _, ...content }: JsonObject): readonly Segment[] {
  const segments = segmentsOf(content, false).filter(({ pointer }) => !/\/(type|mimeType)$/.test(pointer));
  const inner = segments.flatMap(({ pointer, text, isBinary }) =>
    isBinary ? [] : innerTexts(text, false).map((one): Segment => ({ pointer, text: one })),
  );
  return [...segments, ...inner];
}
