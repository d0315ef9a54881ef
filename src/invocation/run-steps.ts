import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { createId } from '../kernel/create-id.ts';
import { ToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { CallPolicy } from './authorize.ts';
import type { Call, CallHost, RunningCall } from './call.ts';
import type { CallParent, CallStep } from './call-record.ts';
import type { DispatchOptions } from './dispatch.ts';
import type { CallerLimits } from './permits.ts';
import { failureResult } from './shape-result.ts';

/** A call of a tool that is a script. */
export interface ScriptRun {
  readonly call: RunningCall;
  readonly code: string;
  /** The value of `input` in the script. */
  readonly input: JsonObject;
  /** The tools that the caller may use; all if undefined. */
  readonly mayUse?: (tool: CatalogEntry) => boolean;
  /** Starts a call of the script: for the same caller, under the same policy, as a child of the script's call. */
  readonly startStep: (tool: CatalogEntry, args: unknown, step: CallStep) => Call;
}

/** Runs scripts. Rejects if a script was stopped; a script that fails has a result with `isError`. */
export interface ScriptRunner {
  run(script: ScriptRun): Promise<JsonObject>;
}

/** What a step has of the call that it belongs to. */
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
}

const maxDepth = 8;

/** Runs the steps of composed tools and scripts: calls of their own, for the same caller, host and policy. */
export function createStepRunner({ start, catalog, scripts }: StepRunnerPorts) {
  function startStep(
    call: RunningCall,
    entry: CatalogEntry,
    args: unknown,
    { policy, refreshPolicy, callerLimits }: StepPolicy,
    step?: CallStep,
  ): Call {
    const { caller, host, signal } = call;
    const stepHost: CallHost = Object.create(host, { onProgress: { value: undefined }, input: { value: undefined } });
    const parent: CallParent = { kind: 'call', id: call.id };
    return start(entry, args, { caller, host: stepHost, parent, signal, policy, refreshPolicy, callerLimits, step });
  }

  return (
    call: RunningCall,
    { script }: CatalogEntry,
    options: StepPolicy,
  ): Pick<DispatchOptions, 'callStep' | 'runScript'> => ({
    async callStep(name, args) {
      assertDepth(call);
      const entry = catalog.find(name);
      const mayUse = options.policy?.mayUse;
      if (!entry || (mayUse && !mayUse(entry)))
        return failureResult(createId(), 'TOOL_NAME_INVALID', `Invalid MCP tool name: ${name}`);
      return startStep(call, entry, args, options).result;
    },
    async runScript(args) {
      if (!scripts) throw new ToolwharfError('TOOL_FAILED', `${call.calledAs} is a script, which only a gateway runs`);
      assertDepth(call);
      return scripts.run({
        call,
        code: script?.code ?? String(args.code),
        input: script?.code === undefined ? {} : args,
        mayUse: options.policy?.mayUse,
        startStep: (entry, given, step) => startStep(call, entry, given, options, step),
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
