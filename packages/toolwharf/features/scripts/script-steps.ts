import { messageOf, ToolwharfError, toToolwharfError } from '../../../contract/errors.ts';
import type { Call } from '../../invocation/call.ts';
import type { CallRecord, CallStep } from '../../invocation/call-record.ts';
import { toReference, valueOfResult } from '../../invocation/references.ts';
import { exactParts, recordedResult } from '../../invocation/shape-result.ts';
import { hashOf } from '../../kernel/canonical-json.ts';
import { abortable, waitAtMost } from '../../kernel/wait.ts';
import type { SandboxCall, Settlement } from './sandbox/protocol.ts';
import { valueOfSearch } from './search-for-scripts.ts';

/** The calls of one script, through all sandboxes that it runs in. */
export interface ScriptSteps {
  /** The script begins from its first line. The recorded outcomes are given to it in the recorded order. */
  rewind(): void;
  /** The script makes a call: a new one is started, a known one is compared with what it was. */
  make(call: SandboxCall): void;
  /** The next outcome for the script; `paused` if every call that it waits for waits for a person or for calls of its own. */
  next(signal: AbortSignal): Promise<{ readonly number: number; readonly settlement: Settlement } | 'paused'>;
  /** Resolves when a call has ended that the script waits for. */
  someEnded(signal: AbortSignal): Promise<void>;
  /** Cancels the calls that have not ended, and waits for their end. */
  cancel(reason: string): Promise<void>;
  /** Whether a call waits for a person. */
  readonly isAsking: boolean;
  readonly made: number;
  readonly failed: number;
}

/** A call that was started. */
export interface StartedStep {
  readonly call: Call;
  /** The call makes calls itself. */
  readonly isComposed: boolean;
}

export interface ScriptStepsOptions {
  /** The records of the calls that the script made in a process that is gone. */
  readonly recorded: readonly CallRecord[];
  /** Starts the call of a tool; returns the reason if the tool is unknown. */
  readonly start: (call: SandboxCall, step: CallStep) => StartedStep | { readonly problem: string };
  /** Waits for the tool of a call while its server starts or moves; undefined if there is nothing to wait for. */
  readonly waitFor?: (call: SandboxCall) => Promise<void> | undefined;
  /** Answers `search`, `describe` and `readResult`. A search is recorded if it is a new step. */
  readonly answer: AnswerStep;
  /** When the script began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Answers a function of scripts. `time` is the time of an answer that is not recorded. */
export type AnswerStep = (call: SandboxCall, time: number, step?: CallStep) => Promise<Settlement>;

interface Step {
  readonly hash: string;
  /** Set if the step only waits. */
  readonly sleepMs?: number;
  settlement?: Settlement;
  /** Undefined if it was made by a process that is gone, or is no call of a tool. */
  readonly call?: Call;
  readonly isComposed?: boolean;
}

/** How long a question may take before the sandbox is ended. */
const patienceMs = 250;

export function createScriptSteps(options: ScriptStepsOptions): ScriptSteps {
  const { start, answer } = options;
  const steps = new Map<number, Step>();
  const recorded = readRecorded(options.recorded);
  /** The order in which the script learnt outcomes. */
  const order = [...recorded.order];
  /** Ended calls whose outcomes the script has not learnt, the first to end first. */
  const arrived: number[] = [];
  let at = 0;
  let time = options.startedAt;
  let made = new Set<number>();
  let wake = Promise.withResolvers<void>();
  const timers = new Set<NodeJS.Timeout>();
  let isCancelled = false;

  function notify(): void {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  }

  function settle(number: number, step: Step, settlement: Settlement): void {
    step.settlement = settlement;
    if (!order.includes(number)) arrived.push(number);
    notify();
  }

  function add(number: number, step: Step): Step {
    steps.set(number, step);
    return step;
  }

  function create(call: SandboxCall, hash: string): void {
    const { number, kind } = call;
    const before = recorded.calls.get(number);
    if (before) recall(before, call, add(number, { hash }));
    else if (kind === 'sleep') sleep(call, hash);
    else if (kind !== 'tool') ask(call, add(number, { hash }), stepOf(number, hash));
    else if (recorded.order.includes(number))
      settle(number, add(number, { hash }), failure('TOOL_NAME_INVALID', 'The call failed before it was recorded'));
    else begin(call, hash);
  }

  /** The outcome of a call that was made by a process that is gone. */
  function recall(before: CallRecord, call: SandboxCall, step: Step): void {
    if (before.step?.hash !== step.hash) throw diverged(call, `${before.server ?? 'local'}.${before.originalName}`);
    const settlement = toSettlement(before);
    if (!settlement && call.kind !== 'tool') {
      ask(call, step);
      return;
    }
    if (!settlement) {
      const message = `The script cannot be continued: the result of call ${call.number} was too large for the journal`;
      throw new ToolwharfError('SCRIPT_DIVERGED', message);
    }
    settle(call.number, step, settlement);
  }

  function begin(call: SandboxCall, hash: string): void {
    const { number } = call;
    const step = stepOf(number, hash);
    const waiting = options.waitFor?.(call);
    if (!waiting) {
      startCall(call, step);
      return;
    }
    const placeholder = add(number, { hash });
    waiting.then(
      () => !isCancelled && startCall(call, step),
      (cause) => {
        const { code, message } = toToolwharfError(cause);
        settle(number, placeholder, failure(code, message));
      },
    );
  }

  function startCall(call: SandboxCall, callStep: CallStep): void {
    const { number, hash } = callStep;
    const started = start(call, callStep);
    if ('problem' in started) {
      settle(number, add(number, { hash }), failure('TOOL_NAME_INVALID', started.problem));
      return;
    }
    const { call: running } = started;
    const step = add(number, { hash, ...started });
    running.subscribe(notify);
    void running.result.then(({ failure: { code = 'TOOL_FAILED' } = {}, text }) =>
      settle(number, step, toSettlement(running.record) ?? failure(code, text)),
    );
  }

  /** Waits. When the script is continued, time that has passed before is not waited for again. */
  function sleep({ number, args }: SandboxCall, hash: string): void {
    const ms = Math.max(0, Number((args as { readonly ms?: unknown }).ms) || 0);
    const step = add(number, { hash, sleepMs: ms });
    const end = { ok: true, value: null, time: time + ms } as const;
    if (recorded.order.includes(number)) {
      settle(number, step, end);
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      settle(number, step, end);
    }, ms);
    timers.add(timer);
  }

  function ask(call: SandboxCall, step: Step, recorded?: CallStep): void {
    answer(call, time, recorded).then(
      (settlement) => settle(call.number, step, settlement),
      (cause) => {
        const code = cause instanceof ToolwharfError ? cause.code : 'ARGUMENTS_INVALID';
        settle(call.number, step, failure(code, messageOf(cause)));
      },
    );
  }

  function stepOf(number: number, hash: string): CallStep {
    return { number, hash, known: formatOrder(order.slice(0, at)) };
  }

  function failure(code: string, message: string): Settlement {
    return { ok: false, error: { code, message }, time };
  }

  /** The outcome that the script learns next, if it is there. */
  function take(): number | undefined {
    if (at < order.length) {
      const number = order[at] as number;
      return steps.get(number)?.settlement && made.has(number) ? number : undefined;
    }
    const index = arrived.findIndex((number) => made.has(number));
    if (index < 0) return undefined;
    const [number] = arrived.splice(index, 1);
    order.push(number as number);
    return number;
  }

  const calls = () => [...steps.values()].filter(({ sleepMs }) => sleepMs === undefined);
  const unsettled = () => [...steps.values()].filter(({ settlement }) => !settlement);

  return {
    rewind() {
      at = 0;
      time = options.startedAt;
      made = new Set();
    },
    make(call) {
      const hash = hashOf([call.kind, call.server, call.tool, call.args]);
      made.add(call.number);
      const known = steps.get(call.number);
      if (!known) create(call, hash);
      else if (known.hash !== hash) throw diverged(call, 'another call');
    },
    async next(signal) {
      for (;;) {
        const number = take();
        if (number !== undefined) {
          at++;
          const settlement = steps.get(number)?.settlement as Settlement;
          time = Math.max(time, settlement.time);
          return { number, settlement: { ...settlement, time } };
        }
        const waiting = unsettled();
        // The recorded order names a call that the script has not made this time.
        if (waiting.length === 0) throw diverged(undefined, `call ${order[at]}`);
        const changed = wake.promise;
        if (!waiting.every(needsNoSandbox)) await abortable(changed, signal);
        else {
          await abortable(waitAtMost(changed, patienceMs), signal);
          if (changed === wake.promise) return 'paused';
        }
      }
    },
    async someEnded(signal) {
      const before = unsettled().length;
      while (unsettled().length === before) await abortable(wake.promise, signal);
    },
    async cancel(reason) {
      isCancelled = true;
      for (const timer of timers) clearTimeout(timer);
      const running = unsettled().flatMap(({ call }) => call ?? []);
      for (const call of running) call.cancel(reason);
      await Promise.all(running.map(({ result }) => result));
    },
    get isAsking() {
      return unsettled().some(waitsForPerson);
    },
    get made() {
      return calls().length;
    },
    get failed() {
      return calls().filter(({ settlement }) => settlement?.ok === false).length;
    },
  };
}

/** The numbers of calls in an order, with runs as ranges: `1-4,6,5`. */
export function formatOrder(order: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < order.length; ) {
    const first = order[at] as number;
    let end = at + 1;
    while (order[end] === first + end - at) end++;
    parts.push(end - at > 1 ? `${first}-${first + end - at - 1}` : String(first));
    at = end;
  }
  return parts.join(',');
}

/** Reads an order that `formatOrder` wrote. */
export function parseOrder(text: string): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

/**
 * What a script receives for a call that has ended, from the record of the call only, so that it is the same when the script
 * is replayed. Undefined if the journal did not keep the result.
 */
export function toSettlement(record: CallRecord): Settlement | undefined {
  const time = Date.parse(record.completedAt ?? record.createdAt);
  if (record.status === 'error') {
    const { code = 'TOOL_FAILED', message = 'The call failed' } = record.error ?? {};
    return { ok: false, error: { code, message }, time };
  }
  const result = recordedResult(record);
  if (!result) return undefined;
  const { structuredContent, content } = exactParts(result);
  if (record.kind === 'search') return { ok: true, value: valueOfSearch(structuredContent), time };
  const shown = { structuredContent, content };
  const { id, truncated } = record;
  const value = truncated ? toReference('result', id, shown, truncated.totalBytes) : valueOfResult(shown);
  return { ok: true, value, time };
}

/** The calls that count, and the longest recorded order. A call that surely never ran is made again. */
function readRecorded(records: readonly CallRecord[]) {
  let order: readonly number[] = [];
  for (const { step } of records) {
    const known = parseOrder(step?.known ?? '');
    if (known.length > order.length) order = known;
  }
  const calls = new Map<number, CallRecord>();
  for (const record of records) {
    const number = record.step?.number;
    if (number === undefined) continue;
    const neverRan = record.startedAt === undefined && record.error?.code === 'TOOLBOX_CLOSED';
    if (!neverRan || (order.includes(number) && !calls.has(number))) calls.set(number, record);
  }
  return { calls, order };
}

/** A shorter one is not worth running the script again. */
const longSleepMs = 5_000;

/** Whether the call may take long. A call that makes calls itself may need the sandbox that the script has. */
function needsNoSandbox(step: Step): boolean {
  return step.isComposed === true || (step.sleepMs ?? 0) > longSleepMs || waitsForPerson(step);
}

function waitsForPerson({ call }: Step): boolean {
  return call?.state === 'awaiting-approval' || call?.state === 'awaiting-input';
}

function diverged(call: SandboxCall | undefined, before: string): ToolwharfError {
  const now = call
    ? `call ${call.number} is now ${call.server || call.kind}.${call.tool}`
    : 'it does not make that call';
  const message = `The script did something else when it was continued: it made ${before}, and ${now}. No call was repeated`;
  return new ToolwharfError('SCRIPT_DIVERGED', message);
}
