/**
 * The messages between the gateway and the process of a sandbox: one line of JSON each. Every request gets one burst, with the
 * processor time of the process as `usedMs`.
 */
export type SandboxRequest =
  | ({ readonly type: 'start' } & SandboxProgram)
  | ({ readonly type: 'settle'; readonly number: number } & Settlement);

/** A script and its limits. The same program with the same settlements in the same order always does the same. */
export interface SandboxProgram {
  readonly code: string;
  /** The value of the global `input`, as JSON. */
  readonly input: string;
  /** Seeds `Math.random`. */
  readonly seed: number;
  /** Seeds `crypto.randomUUID`: a text that no other script has. */
  readonly randomSeed: string;
  /** The names of tools by server; undefined if there are too many to list. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** The time that `Date` shows until the first settlement, in milliseconds since 1970. */
  readonly time: number;
  readonly limits: SandboxLimits;
  /** A text before the digits of a BigInt in JSON, as a string. */
  readonly bigIntMark?: string;
}

export interface SandboxLimits {
  readonly memoryBytes: number;
  /** How long the script may compute without waiting for a call. */
  readonly computeMs: number;
  readonly maxCalls: number;
  /** Further output of `console.log` is dropped. */
  readonly maxLogBytes: number;
  /** The size of the result, and of the arguments of one call, as JSON. */
  readonly maxValueBytes: number;
}

/** How a call of a script ended. */
export type Settlement = {
  /** The time that `Date` shows from now on. */
  readonly time: number;
} & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }
);

/** A call of the host that the script made. */
export interface SandboxCall {
  /** 1 for the first call of the script. */
  readonly number: number;
  readonly kind: 'tool' | 'search' | 'describe' | 'read' | 'sleep';
  /** The names in `tools.server.tool`; empty for the other kinds. The server of `tools.name` is empty too. */
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
}

/** The progress of a script until it ended or could only wait. */
export interface Burst {
  readonly calls: readonly SandboxCall[];
  /** Set if the script has ended and no call is unsettled, or it has failed. */
  readonly end?: ScriptEnd;
}

export interface ScriptEnd {
  /** The value of the last expression, as JSON; undefined if it has none. */
  readonly value?: string;
  readonly error?: ScriptError;
  /** The output of `console`. */
  readonly log: string;
  readonly isLogTruncated?: boolean;
  /** Says what of the script was not run. */
  readonly note?: string;
}

export interface ScriptError {
  readonly name: string;
  readonly message: string;
  /** The code of a failed tool call that the script did not catch. */
  readonly code?: string;
  /** Where it happened, such as `line 3, column 5`. */
  readonly position?: string;
  /** The lines of code around the position. */
  readonly frame?: string;
}

/** The name of scripts in stack traces. */
export const scriptFile = 'script.ts';
