import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { AccountUse } from '../connections/accounts/account-store.ts';
import type { UnansweredRequest } from '../connections/exchange.ts';
import type { UpstreamTask } from '../connections/follow-task.ts';
import type { QuestionContext, RequestHost } from '../connections/request-host.ts';
import { LightAbort } from '../kernel/abort-source.ts';
import { ownProgram } from '../kernel/client-program.ts';
import { createEphemeralMap } from '../kernel/ephemeral-map.ts';
import { notify } from '../kernel/notify.ts';
import type { Caller, Progress, ToolResult } from '../kernel/tool.ts';
import type { ApprovalAnswer, ApprovalHost, ApprovalRequest, Approver } from '../policy/approval.ts';
import type { Reservation } from '../policy/review.ts';
import type { CallEnding } from './call-ending.ts';
import type { CallParent, CallRecord, CallTask } from './call-record.ts';
import type { Deadline } from './deadline.ts';
import { type CallQuestion, createOpenQuestions, type OpenQuestions } from './open-questions.ts';
import type { ReadTarget } from './read-target.ts';

/** The states of a call, in the order it passes through them; `running` and `awaiting-input` may alternate. */
export const callStates = ['received', 'awaiting-approval', 'queued', 'running', 'awaiting-input', 'ended'] as const;

/** The state of a call. */
export type CallState = (typeof callStates)[number];

/** The caller of calls that name none: the program that uses the toolbox. */
export const programCaller: Caller = { id: 'program', kind: 'program', client: ownProgram('toolwharf') };

/** The caller's side of a call: approves it, answers the server's questions, receives progress and log messages. */
export interface CallHost extends ApprovalHost, Omit<RequestHost, 'elicit' | 'sample' | 'listRoots' | 'onNotice'> {
  /** Answers `elicitation/create`. */
  elicit?(params: JsonObject, context: CallQuestionContext): ReturnType<NonNullable<RequestHost['elicit']>>;
  /** Answers `sampling/createMessage`. */
  sample?(params: JsonObject, context: CallQuestionContext): ReturnType<NonNullable<RequestHost['sample']>>;
  /** Answers `roots/list`. */
  listRoots?(context: CallQuestionContext): ReturnType<NonNullable<RequestHost['listRoots']>>;
  /** Answers the approval of this call instead of the toolbox's approver. */
  approve?: Approver['ask'];
  /** True if the call should run as a task where its server offers that. */
  readonly prefersTask?: boolean;
}

/** The circumstances of a question that a server asks during a call. */
export interface CallQuestionContext extends QuestionContext {
  readonly call: Call;
}

/** An event of one call, in the order of `call.events`. */
export type CallEvent =
  | { readonly type: 'state'; readonly state: CallState; readonly record: CallRecord }
  | { readonly type: 'approval-asked'; readonly request: ApprovalRequest }
  | {
      readonly type: 'approval-answered';
      readonly request: ApprovalRequest;
      readonly answer: ApprovalAnswer;
      readonly isExpired: boolean;
    }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'log'; readonly params: JsonObject }
  /** The questions that wait for an answer have changed. */
  | { readonly type: 'questions'; readonly questions: readonly CallQuestion[] }
  /** The server runs the call as a task, whose status has changed. */
  | { readonly type: 'upstream-task'; readonly task: UpstreamTask }
  /** A step of the call, which is a chain or a script, waits for approval. */
  | { readonly type: 'step-asked'; readonly request: ApprovalRequest }
  /** The step no longer waits: the approval was answered or withdrawn. */
  | { readonly type: 'step-answered'; readonly request: ApprovalRequest }
  | { readonly type: 'ended'; readonly result: ToolResult };

/** One use of a tool, or one read of a resource or prompt, from the moment it is received until it has ended. */
export interface Call {
  readonly id: string;
  /** The name under which the tool is exposed. */
  readonly tool: string;
  readonly caller: Caller;
  readonly host: CallHost;
  readonly parent?: CallParent | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly state: CallState;
  /** When the call entered its state. */
  readonly stateSince: string;
  /** The approval that the call waits for. */
  readonly approval?: ApprovalRequest | undefined;
  /** The latest progress that the tool reported. */
  readonly progress?: Progress | undefined;
  /** The call's journal record, current or next. */
  readonly record: CallRecord;
  /** Never rejects: every failure is a result with `isError`. */
  readonly result: Promise<ToolResult>;
  /** The state at the time of reading, then every event until the call has ended. */
  readonly events: AsyncIterable<CallEvent>;
  /** Calls the listener with every event from now on, synchronously; returns the function that ends the subscription. */
  subscribe(listener: (event: CallEvent) => void): () => void;
  /** Ends the call as cancelled, with the reason in its result; does nothing once it has ended. */
  cancel(reason?: string): void;
}

export interface CallFacts
  extends Pick<CallRecord, 'task' | 'step' | 'replica' | 'extraParams'>,
    Pick<Partial<RunningCall>, 'profile'>,
    Pick<Call, 'id' | 'caller' | 'host' | 'parent' | 'idempotencyKey'> {
  readonly entry: CatalogEntry;
  /** What is read instead of calling a tool. */
  readonly read?: ReadTarget;
  /** The caller's name for the tool; its exposed name by default. */
  readonly calledAs?: string;
  readonly arguments: JsonObject;
  /** The record that this call continues; a new one by default. */
  readonly resumed?: CallRecord;
  /** The running call that this call is a step of. */
  readonly outer?: RunningCall;
  /** The profile whose permissions the call has, in the record; `profile` by default. */
  readonly viewer?: string;
  /** Writes the record of the call to the journal, after the writes before. */
  readonly save?: (call: RunningCall) => Promise<void>;
  /** Called when a listener of the call throws or rejects. */
  readonly onListenerError?: (cause: unknown) => void;
  readonly now: () => string;
}

/** A class, because thousands are created each second: methods on a prototype cost nothing per call. */
export class RunningCall implements Call {
  readonly id: string;
  readonly tool: string;
  /** The name of the tool in messages to the caller. */
  readonly calledAs: string;
  readonly caller: Caller;
  readonly host: CallHost;
  readonly parent: CallParent | undefined;
  readonly idempotencyKey: string | undefined;
  readonly outer: RunningCall | undefined;
  /** What is read instead of calling a tool. */
  readonly read: ReadTarget | undefined;
  /** The profile whose policy applies; only a call that has one can be continued by another replica. */
  readonly profile: string | undefined;
  /** The call waited for approval on a replica that is gone. It runs only with that approval. */
  readonly isResumed: boolean;
  /** The call is a script that began in a process that is gone. */
  readonly isContinued: boolean;
  state: CallState = 'received';
  stateSince: string;
  approval: ApprovalRequest | undefined;
  progress: Progress | undefined;
  record: CallRecord;
  /** Set by the invoker as soon as the call is created. */
  result!: Promise<ToolResult>;
  /** The lease in which the call was received. If this replica has another lease now, another replica may have ended the call. */
  epoch: number | undefined;
  /** Of a call with an idempotency key: whether it runs, or gets the result of an earlier call with the same key. */
  claimed: Promise<boolean> | undefined;
  /** The latest journal write of the call; the next write follows it. */
  recorded: Promise<void> | undefined;
  /** Why the arguments of the call cannot be used. */
  problem: ToolwharfError | undefined;
  /** The tool may have run: a request may have reached its server, or its function was called. */
  mayHaveRun: boolean;
  /** The account that the call uses, at a server with per-user credentials. */
  account: AccountUse | undefined;
  /** The ids of the calls to whose results the arguments referred. */
  references: readonly string[] | undefined;
  /** Runs from dispatch to the end; paused while a person is asked. */
  deadline: Deadline | undefined;
  /** How long it ran, without the time in which it waited for people. */
  ranMs = 0;
  /** What plugins reserved for it. */
  reservation: Reservation | undefined;
  /** The client's answers to questions that an earlier call returned, as the server may get them. */
  input: RequestHost['input'];
  /** The request that was cancelled with the call. Its server may still be working on it. */
  unanswered: UnansweredRequest | undefined;
  readonly #now: () => string;
  readonly #save: CallFacts['save'];
  readonly #onListenerError: CallFacts['onListenerError'];
  /** Aborts when the call is cancelled or runs out of time. */
  readonly aborting = new LightAbort();
  #listeners: ((event: CallEvent) => void)[] | undefined;
  #questions: OpenQuestions | undefined;

  constructor({
    id,
    entry,
    read,
    calledAs,
    arguments: args,
    extraParams,
    caller,
    host,
    parent,
    outer,
    idempotencyKey,
    task,
    step,
    profile,
    viewer = profile ?? outer?.record.profile,
    resumed,
    replica,
    save,
    onListenerError,
    now,
  }: CallFacts) {
    this.id = id;
    this.tool = entry.name;
    this.calledAs = calledAs ?? entry.name;
    this.caller = caller;
    this.host = host;
    this.input = host.input;
    this.parent = parent;
    this.outer = outer;
    this.read = read;
    this.idempotencyKey = idempotencyKey;
    this.profile = profile;
    this.isResumed = resumed?.awaiting !== undefined;
    this.isContinued = resumed?.script !== undefined;
    this.mayHaveRun = resumed?.startedAt !== undefined;
    this.#now = now;
    this.#save = save;
    this.#onListenerError = onListenerError;
    this.stateSince = now();
    this.record = (resumed && { ...resumed, replica }) ?? {
      id,
      kind: read?.kind,
      server: entry.server,
      tool: entry.name,
      originalName: entry.originalName,
      caller,
      replica,
      parent,
      profile: viewer,
      arguments: args,
      extraParams,
      definitionHash: entry.definitionHash,
      status: 'pending',
      createdAt: this.stateSince,
      idempotencyKey,
      task,
      step,
      script:
        entry.script && (profile !== undefined || parent?.kind === 'answer')
          ? { profile, calledAs: this.calledAs }
          : undefined,
    };
  }

  /** The same as a real signal, which is costly: most calls never need it. */
  get signal(): AbortSignal {
    return this.aborting.signal;
  }

  get events(): AsyncIterable<CallEvent> {
    return { [Symbol.asyncIterator]: () => iterate(this) };
  }

  subscribe(listener: (event: CallEvent) => void): () => void {
    this.#listeners = [...(this.#listeners ?? []), listener];
    return () => {
      this.#listeners = this.#listeners?.filter((known) => known !== listener);
    };
  }

  get hasListeners(): boolean {
    return this.#listeners !== undefined && this.#listeners.length > 0;
  }

  emit(event: CallEvent): void {
    for (const listener of this.#listeners ?? []) notify(() => listener(event), this.#onListenerError);
  }

  /** Calls a method of the host that receives something. The call goes on if it fails. */
  notifyHost(callback: () => unknown): void {
    notify(callback, this.#onListenerError);
  }

  /** Emits an event of the calls that this call is a step of. */
  emitOutwards(event: CallEvent): void {
    for (let { outer } = this as RunningCall; outer; outer = outer.outer) outer.emit(event);
  }

  setState(state: CallState): void {
    if (this.state === state) return;
    this.state = state;
    this.stateSince = later(this.#now(), this.stateSince);
    if (this.#listeners) this.emit({ type: 'state', state, record: this.record });
  }

  cancel(reason?: string): void {
    const message = reason === undefined ? 'The call was cancelled' : `The call was cancelled: ${reason}`;
    if (this.state !== 'ended') this.abort(new ToolwharfError('CALL_CANCELLED', message));
  }

  abort(reason: unknown): void {
    this.aborting.abort(reason);
  }

  /** Marks the call as dispatched with these arguments, allowed by this rule. Times never decrease, even if the clock does. */
  start(args: JsonObject, rule?: string): CallRecord {
    const startedAt = this.record.startedAt ?? later(this.#now(), this.record.createdAt);
    this.record = { ...this.record, status: 'running', arguments: args, startedAt, rule, awaiting: undefined };
    this.setState('running');
    return this.record;
  }

  /** The record of a call that has ended. */
  end(ending: CallEnding): CallRecord {
    const completedAt = later(this.#now(), this.record.startedAt ?? this.record.createdAt);
    this.record = { ...this.record, ...ending, completedAt, awaiting: undefined };
    this.#questions?.close(new Error('The call has ended'));
    return this.record;
  }

  /** The questions that wait for an answer. */
  get questions(): readonly CallQuestion[] {
    return this.#questions?.list() ?? [];
  }

  /** Answers or refuses a question instead of the host. Returns false if the question no longer waits. */
  answerQuestion(id: string, answer: JsonObject | Error): boolean {
    return this.#questions?.answer(id, answer) ?? false;
  }

  /** Asks a question. The first answer counts: that of `ask`, or that of `answerQuestion`. */
  async ask(
    question: Omit<CallQuestion, 'id'>,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    this.#questions ??= createOpenQuestions((questions) => this.emit({ type: 'questions', questions }));
    return this.#questions.ask(question, AbortSignal.any([signal, this.signal]), ask);
  }

  /** Answers a server's question. Meanwhile the call awaits input, and its deadline and those of its outer calls are paused. */
  async answer(
    context: QuestionContext,
    question: Pick<CallQuestion, 'method' | 'params'>,
    ask: (context: CallQuestionContext) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const resume = this.pauseClocks();
    try {
      const answer = this.ask({ ...question, key: context.key, server: context.server }, context.signal, (signal) =>
        ask({ ...context, signal, call: this }),
      );
      if (this.state === 'running') this.setState('awaiting-input');
      return await answer;
    } finally {
      resume();
      if (this.questions.length === 0 && this.state === 'awaiting-input') this.setState('running');
    }
  }

  /** Makes the call a task. Resolves when the journal has the task, or when the call has ended. */
  async becomeTask(task: CallTask): Promise<void> {
    if (this.state === 'ended' || this.record.completedAt !== undefined) return;
    this.record = { ...this.record, task };
    await this.#save?.(this);
  }

  /** Records the status of the task in which the server runs the call. Returns true if the status or its message has changed. */
  followTask(task: UpstreamTask): boolean {
    const { upstreamTask: before } = this.record;
    this.deadline?.restart();
    this.record = { ...this.record, upstreamTask: task };
    const isChanged = before?.status !== task.status || before.message !== task.message;
    if (isChanged) this.emit({ type: 'upstream-task', task });
    return isChanged;
  }

  /** Pauses the deadlines of this call and its outer calls until the returned function is called. */
  pauseClocks(): () => void {
    const resumes: (() => void)[] = [];
    for (let call: RunningCall | undefined = this; call; call = call.outer) {
      const resume = call.deadline?.pause();
      if (resume) resumes.push(resume);
    }
    return () => {
      for (const resume of resumes) resume();
    };
  }
}

/** The calls that have not ended, by id. */
export interface RunningCalls {
  find(id: string): RunningCall | undefined;
  add(call: RunningCall): void;
  delete(id: string): void;
  list(): readonly RunningCall[];
}

export function createRunningCalls(): RunningCalls {
  const calls = createEphemeralMap<string, RunningCall>();
  return {
    find: (id) => calls.get(id),
    add: (call) => calls.set(call.id, call),
    delete: (id) => void calls.delete(id),
    list: () => [...calls.values()],
  };
}

/** Reads the events of a call. `return` ends a pending `next`, so that a reader that stops is released at once. */
function iterate(call: RunningCall): AsyncIterator<CallEvent, void, undefined> {
  const unread: CallEvent[] = [{ type: 'state', state: call.state, record: call.record }];
  let isOver = false;
  let wake = () => {};
  const unsubscribe = call.subscribe((event) => {
    // A slow reader gets only the latest progress.
    if (event.type === 'progress' && unread.at(-1)?.type === 'progress') unread.pop();
    unread.push(event);
    wake();
  });
  if (call.state === 'ended')
    void call.result.then((result) => {
      unread.push({ type: 'ended', result });
      wake();
    });

  function leave(): IteratorResult<CallEvent, void> {
    isOver = true;
    unsubscribe();
    wake();
    return { done: true, value: undefined };
  }

  return {
    async next() {
      while (unread.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const event = isOver ? undefined : unread.shift();
      if (!event) return leave();
      // The event after the last one is the end of the iteration.
      if (event.type === 'ended') leave();
      return { done: false, value: event };
    },
    return: async () => leave(),
  };
}

/** The later of two ISO times. */
function later(one: string, other: string): string {
  return one < other ? other : one;
}
