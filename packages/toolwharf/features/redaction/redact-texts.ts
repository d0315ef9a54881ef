import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CarriedText } from '../../kernel/carried-texts.ts';
import type { Redaction } from '../../plugins/plugin.ts';
import type { Detection } from '../../policy/redaction.ts';
import { type Detected, detect } from './detect.ts';
import { namedSecretRule } from './detect-secrets.ts';
import type { Plan } from './settings.ts';

/** The values in one of the texts. */
interface Finding {
  readonly text: string;
  readonly values: readonly Detected[];
}

/** What was detected in texts, in their order. */
export type Findings = readonly Finding[];

/** Detects the values in texts at once. */
export function detectAll(texts: readonly CarriedText[], plan: Plan): Findings {
  const steps = detectSteps(texts, plan);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const maxTurnMs = 10;

/** Detects the values in texts, and lets others run in between. */
export async function detectInTurns(texts: readonly CarriedText[], plan: Plan): Promise<Findings> {
  const steps = detectSteps(texts, plan);
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since < maxTurnMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

function* detectSteps(texts: readonly CarriedText[], { rules, actions }: Plan): Generator<void, Findings> {
  const findings: Finding[] = [];
  const detectsSecrets = (actions.get('secret') ?? 'off') !== 'off';
  for (const { text, name } of texts) {
    const named = name !== undefined && detectsSecrets ? namedSecretRule(name, text) : undefined;
    if (named !== undefined)
      findings.push({ text, values: [{ class: 'secret', rule: named, start: 0, end: text.length }] });
    else {
      // A short value is recognised by the name of its member, as in a text by the word before it.
      const label = name !== undefined && text.length <= maxLabelled && /\d/.test(text) ? `${toWords(name)}: ` : '';
      const detected = yield* detect(label + text, rules);
      findings.push({ text, values: label === '' ? detected : detected.flatMap((one) => moveBack(one, label.length)) });
    }
    yield;
  }
  return findings;
}

const maxLabelled = 100;

/** `socialSecurityNumber` → `social Security Number`. */
function toWords(name: string): string {
  return name
    .slice(0, maxLabelled)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ');
}

function moveBack({ start, end, ...value }: Detected, by: number): Detected[] {
  return end <= by ? [] : [{ ...value, start: Math.max(0, start - by), end: end - by }];
}

/** What happens to texts with these findings. `toMask` returns the text that is shown instead of a value. */
export function redactTexts(
  findings: Findings,
  { actions }: Plan,
  direction: Detection['direction'],
  toMask: (kind: string, value: string) => string,
): Redaction | undefined {
  const detections = new Map<string, Detection>();
  let isMasked = false;
  const texts = findings.map(({ text, values }) => {
    let shown = '';
    let at = 0;
    for (const { class: kind, rule, start, end } of values) {
      const action = actions.get(kind) ?? 'off';
      if (action === 'off') continue;
      const count = (detections.get(rule)?.count ?? 0) + 1;
      detections.set(rule, { class: kind, rule, direction, action, count });
      if (action !== 'mask') continue;
      isMasked = true;
      const mask = toMask(kind, text.slice(start, end));
      shown += text.slice(at, start) + (isJsonNumber(text, start, end) ? JSON.stringify(mask) : mask);
      at = end;
    }
    return shown + text.slice(at);
  });
  if (detections.size === 0) return undefined;
  const all = [...detections.values()];
  const blocking = all.filter(({ action }) => action === 'block');
  if (blocking.length > 0) {
    const what = blocking.map(({ class: kind, rule }) => (kind === rule ? kind : `${kind} (${rule})`)).join(', ');
    return { detections: all, blocked: `it contains what the redaction settings block: ${what}` };
  }
  return isMasked ? { detections: all, texts } : { detections: all };
}

/** Whether a value is a number in a text that is JSON, in which a mask needs quotes. */
function isJsonNumber(text: string, start: number, end: number): boolean {
  if (!/^\s*[[{]/.test(text.slice(0, 100)) || !/^\d+$/.test(text.slice(start, end))) return false;
  return /[:,[]\s*$/.test(text.slice(Math.max(0, start - 20), start)) && /^\s*[,\]}]/.test(text.slice(end, end + 20));
}
