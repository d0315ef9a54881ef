import { createMatcher } from '../../../contract/match-globs.ts';
import {
  type ConfiguredHooks,
  definePlugin,
  type Plugin,
  type PluginContext,
  type PluginRedactor,
  type Redaction,
} from '../../plugins/plugin.ts';
import type { CarriedContent, Detection, RedactedCall } from '../../policy/redaction.ts';
import { classOf, createMaskTables, keyOf, type MaskTables, maskRecords } from './mask-tables.ts';
import { detectAll, detectInTurns, type Findings, redactTexts } from './redact-texts.ts';
import {
  anyProfile,
  compileSettings,
  type FindPlan,
  hasReversibleMasks,
  type Plan,
  type RedactionSettings,
} from './settings.ts';

export interface RedactionOptions {
  readonly now?: () => number;
}

const dayMs = 86_400_000;

/** Applies the section `redaction` of the configuration. Without it the plugin has no hooks, so that calls do not wait for it. */
export function createRedactionPlugin({ now = Date.now }: RedactionOptions = {}): Plugin {
  return definePlugin({
    name: 'toolwharf.redaction',
    section: 'redaction',
    records: { masks: maskRecords },
    configure: ({ redaction }, report) =>
      redaction ? createHooks(redaction, compileSettings(redaction, report), now) : {},
  });
}

function createHooks(settings: RedactionSettings, planOf: FindPlan, now: () => number): ConfiguredHooks {
  const tables = createMaskTables({ now, expiresMs: settings.expires ?? dayMs });
  const redactor: PluginRedactor = {
    redact(content) {
      const { call, direction, texts } = content;
      const plan = planOf(direction, call ? call.profile : anyProfile);
      if (plan.rules.length === 0) return undefined;
      const known =
        call && plan.isReversible && direction === 'results' ? tables.known(conversationOf(call)) : undefined;
      return redactTexts(
        detectAll(texts, plan),
        plan,
        direction,
        (kind, value) => known?.get(keyOf({ class: kind, value })) ?? `[${kind}]`,
      );
    },
    async redactResult({ call, direction, texts }, context) {
      const plan = planOf(direction, call?.profile);
      if (plan.rules.length === 0) return undefined;
      const findings = await detectInTurns(texts, plan);
      const masks = call && plan.isReversible ? await masksFor(call, findings, plan, tables, context) : undefined;
      return redactTexts(
        findings,
        plan,
        direction,
        (kind, value) => masks?.get(keyOf({ class: kind, value })) ?? `[${kind}]`,
      );
    },
  };
  if (!hasReversibleMasks(settings)) return { redactor };
  const mayRestore = settings.restore && createMatcher(settings.restore);
  return {
    redactor: {
      ...redactor,
      async restore(content, context) {
        const { call } = content;
        const isAllowed =
          !mayRestore ||
          mayRestore(call?.tool ?? '') ||
          mayRestore(`${call?.server ?? ''}/${call?.originalName ?? ''}`);
        if (!call || !isAllowed || !content.texts.some(({ text }) => hasMask.test(text))) return undefined;
        const { actions } = planOf('arguments', call.profile);
        const values = await tables.values(conversationOf(call), recordsOf(context));
        return restoreTexts(content, actions, values);
      },
    },
  };
}

const hasMask = /\[[a-z][a-z-]{0,38}[a-z]-\d{1,6}\]/;
const masks = new RegExp(hasMask, 'g');

/** What must not be sent in arguments is not sent in the place of a mask either. */
function restoreTexts(
  { texts }: CarriedContent,
  actions: Plan['actions'],
  values: ReadonlyMap<string, string>,
): Redaction | undefined {
  const detections = new Map<string, Detection>();
  const restored = texts.map(({ text }) =>
    text.replaceAll(masks, (mask) => {
      const kind = classOf(mask);
      const value = values.get(mask);
      const action = actions.get(kind);
      if (value === undefined || action === 'mask' || action === 'block') return mask;
      const count = (detections.get(kind)?.count ?? 0) + 1;
      detections.set(kind, { class: kind, rule: 'reversible-mask', direction: 'arguments', action: 'restore', count });
      return value;
    }),
  );
  return detections.size === 0 ? undefined : { texts: restored, detections: [...detections.values()] };
}

/** The masks of the values that will be masked. */
async function masksFor(
  call: RedactedCall,
  findings: Findings,
  { actions }: Plan,
  tables: MaskTables,
  context: PluginContext,
): Promise<ReadonlyMap<string, string> | undefined> {
  const values = findings.flatMap(({ text, values: found }) =>
    found
      .filter(({ class: kind }) => actions.get(kind) === 'mask')
      .map(({ class: kind, start, end }) => ({ class: kind, value: text.slice(start, end) })),
  );
  return values.length === 0 ? undefined : tables.mask(conversationOf(call), values, recordsOf(context));
}

function recordsOf({ records }: PluginContext) {
  if (!records.masks) throw new Error('there are no records of masks');
  return records.masks;
}

/** Masks are for one conversation, or for all calls of a caller who has none. */
function conversationOf({ caller: { id, conversation } }: RedactedCall): string {
  return conversation === undefined ? `caller ${id}` : `conversation ${conversation}`;
}
