import { createHash } from 'node:crypto';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { isForModels } from '../../catalog/app-tools.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { reportWaiting } from '../../invocation/ask-approval.ts';
import type { RunningCall } from '../../invocation/call.ts';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { Journal } from '../../invocation/journal.ts';
import { isComposed, type ScriptRun, type ScriptRunner } from '../../invocation/run-steps.ts';
import type { WaitForTools } from '../../kernel/internal-source.ts';
import { type RunScriptPorts, runScript, toScriptResult, toToolResult } from './run-script.ts';
import type { SandboxLimits, SandboxProgram } from './sandbox/protocol.ts';
import { type AnswerStep, createScriptSteps } from './script-steps.ts';
import { createScriptTools, type ScriptTools } from './script-tools.ts';

export interface ScriptRunnerPorts {
  readonly maxScriptsPerCaller: () => number;
  /** Waits until there is a sandbox for the script. */
  readonly openSandbox: RunScriptPorts['openSandbox'];
  readonly journal: Pick<Journal, 'list' | 'get'>;
  readonly entries: () => readonly CatalogEntry[];
  readonly waitForTools?: WaitForTools;
  /** Creates the function that answers `search`, `describe` and `readResult` of a script. */
  readonly createAnswer: (run: Pick<ScriptRun, 'call' | 'mayUse' | 'recordSearch'>) => AnswerStep;
}

const mebibyte = 1024 * 1024;

/** The limits of one script. */
export const scriptLimits: SandboxLimits = {
  memoryBytes: 64 * mebibyte,
  computeMs: 5_000,
  maxCalls: 1_000,
  maxLogBytes: 64 * 1024,
  maxValueBytes: 4 * mebibyte,
};

/** Runs the scripts of a toolbox. */
export function createScriptRunner({
  maxScriptsPerCaller,
  openSandbox,
  journal,
  entries,
  waitForTools,
  createAnswer,
}: ScriptRunnerPorts): ScriptRunner {
  const perCaller = new Map<string, number>();

  function countCaller(caller: string): Disposable {
    const max = maxScriptsPerCaller();
    const count = perCaller.get(caller) ?? 0;
    if (count >= max)
      throw new ToolwharfError(
        'LIMIT_REACHED',
        `You have ${max} scripts in progress, which is the limit: try again later`,
        {
          data: { limit: 'scripts', max, retryAfterMs: 1_000 },
        },
      );
    perCaller.set(caller, count + 1);
    return {
      [Symbol.dispose]() {
        const left = (perCaller.get(caller) ?? 1) - 1;
        if (left > 0) perCaller.set(caller, left);
        else perCaller.delete(caller);
      },
    };
  }

  /** The calls that the script made before, in full. */
  async function readSteps({ isContinued, id }: RunningCall): Promise<readonly CallRecord[]> {
    if (!isContinued) return [];
    const listed = await journal.list({ parent: id, limit: scriptLimits.maxCalls * 4 });
    const whole = listed.map(async (record) =>
      record.isPreview ? ((await journal.get(record.id)) ?? record) : record,
    );
    // The list is newest first. Of several attempts, the last one counts.
    return (await Promise.all(whole)).reverse();
  }

  /** Reads the catalog again when it changes. */
  function createCurrentTools(mayUse: ScriptRun['mayUse']): () => ScriptTools {
    let from: readonly CatalogEntry[] | undefined;
    let tools: ScriptTools | undefined;
    // Models write the scripts.
    const isUsable = (entry: CatalogEntry) => isForModels(entry) && (mayUse === undefined || mayUse(entry));
    return () => {
      const current = entries();
      if (!tools || from !== current) tools = createScriptTools(current.filter(isUsable));
      from = current;
      return tools;
    };
  }

  async function run({ call, code, input, isSaved, mayUse, startStep, recordSearch }: ScriptRun): Promise<JsonObject> {
    using _count = countCaller(call.caller.id);
    const startedAt = Date.parse(call.record.createdAt);
    const recorded = await readSteps(call);
    const tools = createCurrentTools(mayUse);
    const steps = createScriptSteps({
      recorded,
      startedAt,
      start({ server, tool, args }, step) {
        const found = tools().find(server, tool);
        return 'problem' in found ? found : { call: startStep(found, args, step), isComposed: isComposed(found) };
      },
      waitFor: ({ server, tool }) =>
        'problem' in tools().find(server, tool) ? waitForTools?.(`${server}_${tool}`) : undefined,
      answer: createAnswer({ call, mayUse, recordSearch }),
    });
    const seed = createHash('sha256').update(call.id).digest().readInt32BE();
    const program: SandboxProgram = {
      ...{ code, input: JSON.stringify(input), seed, time: startedAt, limits: scriptLimits },
      randomSeed: call.id,
      tools: listTools(code, tools()),
    };
    try {
      const end = await runScript(program, {
        openSandbox,
        steps,
        signal: call.signal,
        onPause: () => reportWaiting(call.host.onProgress?.bind(call.host)),
      });
      return isSaved ? toToolResult(end, steps) : toScriptResult(end, steps);
    } finally {
      await steps.cancel('its script has ended');
    }
  }

  return { run };
}

const maxListed = 5_000;

/** The tools that the script can list. A script that only calls tools does not get their names: they would take time to send. */
function listTools(code: string, tools: ScriptTools): SandboxProgram['tools'] {
  const onlyCalls = /\btools\s*(?:\.\s*[\w$]+\s*\.|\.\s*[\w$]+\s*\(|\[)/g;
  if (!/\btools\b/.test(code.replace(onlyCalls, '')) && !/\b(?:Object|Reflect|in)\b/.test(code)) return {};
  const list = tools.list();
  const count = Object.values(list).reduce((sum, names) => sum + names.length, 0);
  return count > maxListed ? undefined : list;
}
