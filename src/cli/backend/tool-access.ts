import { readDuration } from '../../config/durations.ts';
import type { ProfileView } from '../../gateway/api/schemas/profiles.ts';
import type { SkillView } from '../../gateway/api/schemas/skills.ts';
import type { ToolView } from '../../gateway/api/schemas/tools.ts';
import { createDeadline, type Deadline } from '../../invocation/deadline.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { LogEntry } from '../../kernel/log.ts';
import type { Progress, ToolResult } from '../../kernel/tool.ts';
import type { PluginInfo } from '../../plugins/plugin-set.ts';
import type { SkillContent, SkillId } from '../../servers/skills/toolbox-skills.ts';
import { UsageError } from '../errors.ts';
import type { KnownServer } from './known-server.ts';

/** The servers and their lists: those of the running gateway, or of a toolbox in this process. */
export interface ToolAccess extends AsyncDisposable {
  /** The URL of the gateway; undefined for a toolbox in this process. */
  readonly gateway?: string;
  readonly servers: readonly KnownServer[];
  readonly tools: readonly ToolView[];
  readonly config: ConfigSummary;
  /** The tools that MCP clients of the caller's profile list; undefined for a toolbox in this process, which has no clients. */
  readExposure?(): Promise<ProfileView['exposure']>;
  /** Every warning and error of the startup; empty for a gateway, which has its own log. */
  readonly warnings: readonly LogEntry[];
  /** Lists unavailable servers on stderr, or the given one, unless the log has reported them. */
  reportUnavailable(server?: string): void;
  /** Calls a tool. At a terminal, prompts for approvals and for questions of the server. A failed call is a result. */
  call(tool: ToolView, args: JsonObject, options: CallOptions): Promise<CallOutcome>;
  listResources(server: string): Promise<ResourceLists>;
  readResource(server: string, uri: string): Promise<JsonObject>;
  listPrompts(server: string): Promise<readonly JsonObject[]>;
  /** The skills of all servers and of local folders. */
  listSkills(): Promise<readonly SkillView[]>;
  readSkill(skill: SkillId, path?: string): Promise<SkillContent>;
  getPrompt(server: string, name: string, args: Readonly<Record<string, string>>): Promise<JsonObject>;
}

export interface ConfigSummary {
  /** The configuration file; undefined for the default servers. */
  readonly file?: string;
  readonly dialect: string;
  /** Why a changed file is not in use. */
  readonly refused?: string;
  /** The warnings of the gateway's configuration; a toolbox in this process logs its own. */
  readonly warnings?: readonly string[];
  /** The plugins in use. */
  readonly plugins?: readonly PluginInfo[];
  /** True if the gateway does not show its configuration, because the caller is not an administrator. */
  readonly isHidden?: boolean;
}

/** Names the configuration file for people. */
export function describeConfig({ file, isHidden }: ConfigSummary): string {
  if (isHidden) return 'not shown: only administrators see the configuration of the gateway';
  return file ?? 'none; using the default servers';
}

export interface CallOptions {
  readonly timeout: CallTimeout;
  readonly onProgress: (progress: Progress) => void;
}

export interface CallOutcome {
  readonly result: ToolResult;
  /** Whether the person at the terminal denied the call. */
  readonly isDeniedHere: boolean;
}

export interface ResourceLists {
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
}

/** The time limit of `--timeout`. Time that a person takes to answer does not count. */
interface CallTimeout extends Disposable {
  /** Starts the clock; the signal aborts with `CALL_TIMED_OUT`, or never if there is no limit. */
  start(tool: string): AbortSignal;
  /** Stops the clock while the call waits for a person; the returned function resumes it. */
  pause(): () => void;
}

/** Parses `--timeout`; throws a `UsageError` if it is not a positive duration. */
export function createCallTimeout(timeout?: string): CallTimeout {
  const ms = timeout === undefined ? undefined : parse(timeout);
  let deadline: Deadline | undefined;
  return {
    start(tool) {
      const controller = new AbortController();
      if (ms === undefined) return controller.signal;
      const message = `${tool} did not finish within ${timeout} (--timeout)`;
      deadline = createDeadline(ms, () => controller.abort(new ToolwharfError('CALL_TIMED_OUT', message)));
      return controller.signal;
    },
    pause: () => deadline?.pause() ?? (() => {}),
    [Symbol.dispose]: () => deadline?.[Symbol.dispose](),
  };
}

function parse(text: string): number {
  const reading = readDuration(text);
  if ('ms' in reading && reading.ms > 0) return reading.ms;
  throw new UsageError(`--timeout: ${'reason' in reading ? reading.reason : 'must be positive'}`);
}
