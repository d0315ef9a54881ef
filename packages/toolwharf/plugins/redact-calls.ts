import { ToolwharfError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { type ContentDirection, contentDirections, redactions } from '../../contract/settings/choices.ts';
import { replaceTexts, textsOf, withoutDuplicates } from '../kernel/carried-texts.ts';
import { hasRawNumbers, restate } from '../kernel/exact-json.ts';
import type { Blocked, CarriedContent, Detection, RedactCalls, Redacted } from '../policy/redaction.ts';
import type { ActivePlugin } from './active-plugin.ts';
import type { PluginContext, PluginRedactor, Redaction } from './plugin.ts';

const maxReasonLength = 1_000;
const maxDetections = 1_000;

/** Lets plugins redact the content of calls, one after the other. Undefined if none does, so that calls cost nothing more. */
export function createRedactCalls(plugins: readonly ActivePlugin[]): RedactCalls | undefined {
  const redactors = plugins.filter(({ plugin }) => plugin.redactor);
  if (redactors.length === 0) return undefined;
  const restorers = redactors.filter(({ plugin }) => plugin.redactor?.restore);

  return {
    now(content, value) {
      let redacted: Redacted<typeof value> | Blocked = begin(value);
      for (const active of redactors) {
        if ('blocked' in redacted) return redacted;
        const carried: CarriedContent = { ...content, texts: textsOf(redacted.value) };
        try {
          const redaction = active.runNow('redactor', (context) => active.plugin.redactor?.redact(carried, context));
          redacted = apply(active, carried, redaction, redacted);
        } catch (cause) {
          onFailure(active, carried, cause);
        }
      }
      return redacted;
    },
    later: (content, value) =>
      redactLater(redactors, content, value, (redactor, content, context) =>
        redactor.redactResult ? redactor.redactResult(content, context) : redactor.redact(content, context),
      ),
    restore:
      restorers.length === 0
        ? undefined
        : async (call, value) => {
            const content = { call, direction: 'arguments' } as const;
            const restored = await redactLater(restorers, content, value, (redactor, carried, context) =>
              redactor.restore?.(carried, context),
            );
            return 'blocked' in restored ? { value, detections: restored.detections } : restored;
          },
  };
}

async function redactLater<Value extends object>(
  redactors: readonly ActivePlugin[],
  content: Omit<CarriedContent, 'texts'>,
  value: Value,
  run: (
    redactor: PluginRedactor,
    content: CarriedContent,
    context: PluginContext,
  ) => ReturnType<NonNullable<PluginRedactor['redactResult']>>,
): Promise<Redacted<Value> | Blocked> {
  let redacted: Redacted<Value> | Blocked = begin(value);
  for (const active of redactors) {
    if ('blocked' in redacted) return redacted;
    const carried: CarriedContent = { ...content, texts: textsOf(redacted.value) };
    try {
      const redaction = await active.run('redactor', (context) => {
        const { redactor } = active.plugin;
        return redactor && run(redactor, carried, context);
      });
      redacted = apply(active, carried, redaction, redacted);
    } catch (cause) {
      onFailure(active, carried, cause);
    }
  }
  return redacted;
}

/** The parsed form of a value must show all of it. */
function begin<Value extends object>(value: Value): Redacted<Value> {
  return { value: withoutDuplicates(value), detections: [] };
}

function apply<Value extends object>(
  active: ActivePlugin,
  { call, direction }: CarriedContent,
  redaction: Redaction | undefined,
  { value, detections: before }: Redacted<Value>,
): Redacted<Value> | Blocked {
  if (redaction === undefined) return { value, detections: before };
  const detected = detectionsOf(redaction);
  const { texts, blocked } = redaction;
  if (blocked !== undefined && typeof blocked !== 'string') throw new Error('its reason to block must be a text');
  const what = `${direction} of ${call?.tool ?? 'a message'}`;
  if (active.mode === 'shadow') {
    if (blocked !== undefined || texts) active.shadows('redactor', `redacted the ${what}`, { callId: call?.id });
    return { value, detections: [...before, ...detected.map((one) => ({ ...one, action: 'detect' as const }))] };
  }
  const detections = [...before, ...detected];
  if (blocked !== undefined) return { blocked: blocked.slice(0, maxReasonLength), detections };
  return { value: texts ? replaceAll(value, texts, direction) : value, detections };
}

/** Results have plain numbers for looking, and all digits in their text. Arguments have all digits. */
function replaceAll<Value extends object>(value: Value, texts: readonly string[], direction: ContentDirection): Value {
  const isList = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
  const replaced = isList ? replaceTexts(value, texts) : undefined;
  if (replaced === undefined) throw new Error('its texts must be a list with a text for each text of the content');
  const mustRestate = direction === 'results' && replaced !== value && hasRawNumbers(replaced);
  return mustRestate ? restate(replaced) : replaced;
}

/** The detections of a plugin, without what does not belong to them. */
function detectionsOf({ detections }: Redaction): readonly Detection[] {
  if (!Array.isArray(detections) || !detections.every(isDetection))
    throw new Error('its detections must be a list of { class, rule, direction, action, count }');
  return detections.slice(0, maxDetections).map(({ class: kind, rule, direction, action, count }: Detection) => {
    return { class: kind, rule, direction, action, count };
  });
}

const isName = (name: unknown) => typeof name === 'string' && name.length <= 100;
const isDetection = (one: unknown) =>
  isObject(one) &&
  isName(one.class) &&
  isName(one.rule) &&
  (contentDirections as readonly unknown[]).includes(one.direction) &&
  (redactions as readonly unknown[]).includes(one.action) &&
  Number.isSafeInteger(one.count);

/** Content that could not be redacted does not go on, unless the operator allows that. */
function onFailure(active: ActivePlugin, { call, direction }: CarriedContent, cause: unknown): void {
  const message = active.fail('redactor', cause, { callId: call?.id });
  if (active.mode === 'shadow' || active.onFailure === 'allow') return;
  const data = { plugin: active.plugin.name };
  if (direction !== 'results')
    throw new ToolwharfError('POLICY_FAILED', `${message}. The call was not made; correct or remove the plugin`, {
      cause,
      data,
    });
  throw new ToolwharfError('RESULT_BLOCKED', `${message}. The tool may have run, and its result is withheld`, {
    cause,
    data,
  });
}
