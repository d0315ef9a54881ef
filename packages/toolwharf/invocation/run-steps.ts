import { ToolwharfError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Config } from '../../contract/settings/config.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { createId } from '../kernel/create-id.ts';
import type { Embed } from '../kernel/embed.ts';
import type { AnswerSearch, InternalToolSource, WaitForTools } from '../kernel/internal-source.ts';
import type { Log } from '../kernel/log.ts';
import { overrideMembers } from '../kernel/override-members.ts';
import { abortable } from '../kernel/wait.ts';
import type { CallPolicy } from './authorize.ts';
import type { Call, CallHost, RunningCall } from './call.ts';
import type { CallParent, CallRecord, CallStep } from './call-record.ts';
import type { ToolSteps } from './dispatch.ts';
import type { Journal } from './journal.ts';
import type { CallerLimits } from './permits.ts';
import type { SearchFacts, SearchRecorder } from './record-search.ts';
import type { Results } from './results.ts';
import { failureResult } from './shape-result.ts';

/** A call of a tool that is a script. */
export interface ScriptRun {
  readonly call: RunningCall;
  readonly code: string;
  /** The value of `input` in the script. */
  readonly input: JsonObject;
  /** The script is the tool itself: its value is the result, without the log. */
  readonly isSaved: boolean;
  /** The tools that the caller may use; all if undefined. */
  readonly mayUse?: (tool: CatalogEntry) => boolean;
  /** Starts a call of the script: for the same caller, under the same policy, as a child of the script's call. */
  readonly startStep: (tool: CatalogEntry, args: unknown, step: CallStep) => Call;
  /** Answers a search of the script and records it as a child of the script's call. */
  readonly recordSearch: (
    search: Required<Pick<SearchFacts, 'tool' | 'arguments' | 'step'>>,
    answerSearch: AnswerSearch,
  ) => Promise<CallRecord>;
}

/** Runs scripts. Rejects if a script was stopped; a script that fails has a result with `isError`. */
export interface ScriptRunner {
  run(script: ScriptRun): Promise<JsonObject>;
}

/** The parts of a toolbox that its scripts use. */
export interface ScriptToolbox {
  readonly config: () => Pick<Config, 'gateway'>;
  readonly catalog: Pick<Catalog, 'entries' | 'find'>;
  readonly journal: Pick<Journal, 'list' | 'get'>;
  readonly results: Pick<Results, 'find' | 'isSecret'>;
  readonly embed?: Embed;
  readonly log: Log;
  readonly waitForTools?: WaitForTools;
}

/** Runs the scripts of one toolbox. Disposing ends their processes. */
export interface OpenedScripts extends ScriptRunner, AsyncDisposable {
  /** The tool `run_code` for a call with these arguments, which contain its time limit. */
  toolFor(args: unknown): CatalogEntry;
  readonly observe: NonNullable<InternalToolSource['observeOutput']>;
}

/** Lets a toolbox run scripts. */
export interface ToolboxScripts {
  /** Called once, when the toolbox is created. */
  open(toolbox: ScriptToolbox): OpenedScripts;
}

/** The settings that a step inherits from its call. */
export interface StepPolicy {
  readonly policy?: CallPolicy;
  readonly refreshPolicy?: () => CallPolicy | Promise<CallPolicy>;
  readonly callerLimits?: CallerLimits;
}

interface StepOptions extends StepPolicy, Pick<RunningCall, 'caller' | 'host' | 'signal'> {
  readonly parent: CallParent;
  readonly step?: CallStep;
}

export interface StepRunnerPorts {
  readonly start: (entry: CatalogEntry, args: unknown, options: StepOptions) => Call;
  readonly catalog: Pick<Catalog, 'find'>;
  /** Undefined if tools that are scripts cannot run here. */
  readonly scripts?: ScriptRunner;
  readonly recordSearch: SearchRecorder;
  readonly waitForTools?: WaitForTools;
}

const maxDepth = 8;

/** Runs the steps of composed tools and scripts: calls of their own, for the same caller, host and policy. */
export function createStepRunner({ start, catalog, scripts, recordSearch, waitForTools }: StepRunnerPorts) {
  function startStep(
    call: RunningCall,
    entry: CatalogEntry,
    args: unknown,
    { policy, refreshPolicy, callerLimits }: StepPolicy,
    step?: CallStep,
  ): Call {
    const { caller, host, signal } = call;
    const stepHost = overrideMembers<CallHost>(host, { onProgress: undefined, input: undefined });
    const parent: CallParent = { kind: 'call', id: call.id };
    const ofStep = (outer: CallPolicy): CallPolicy => outer.forStep?.(entry) ?? outer;
    return start(entry, args, {
      ...{ caller, host: stepHost, parent, signal, callerLimits, step },
      policy: policy && ofStep(policy),
      refreshPolicy: refreshPolicy && (async () => ofStep(await refreshPolicy())),
    });
  }

  return (call: RunningCall, { script }: CatalogEntry, options: StepPolicy): ToolSteps => ({
    async callStep(name, args) {
      assertDepth(call);
      const waiting = catalog.find(name) ? undefined : waitForTools?.(name);
      if (waiting) await abortable(waiting, call.signal);
      const entry = catalog.find(name);
      const mayUse = options.policy?.mayUse;
      if (!entry || (mayUse && !mayUse(entry)))
        return failureResult(createId(), 'TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}`);
      return startStep(call, entry, args, options).result;
    },
    async runScript(args) {
      if (!scripts)
        throw new ToolwharfError('TOOL_FAILED', `${call.calledAs} is a script, and this toolbox has no \`scripts\``);
      assertDepth(call);
      return scripts.run({
        call,
        code: script?.code ?? String(args.code),
        input: script?.code === undefined ? {} : args,
        isSaved: script?.code !== undefined,
        mayUse: options.policy?.mayUse,
        startStep: (entry, given, step) => startStep(call, entry, given, options, step),
        async recordSearch(search, answerSearch) {
          const { caller, id, epoch } = call;
          return (await recordSearch({ ...search, caller, parent: { kind: 'call', id }, epoch }, answerSearch)).record;
        },
      });
    },
  });
}

/** Whether a tool calls other tools, and needs no permit of its own because they do. */
export function isComposed({ local, script }: CatalogEntry): boolean {
  return local?.composed === true || script !== undefined;
}

function assertDepth(call: RunningCall): void {
  let depth = 1;
  for (let outer = call.outer; outer; outer = outer.outer) depth++;
  if (depth <= maxDepth) return;
  throw new ToolwharfError('TOOL_FAILED', `${call.calledAs} calls tools that call tools, more than ${maxDepth} deep`);
}
