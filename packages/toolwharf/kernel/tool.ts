import type { callerKinds } from '../../contract/calls.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { JsonObject, JsonSchema } from '../../contract/json.ts';
import type { Embed } from './embed.ts';

/** One block of a tool's result, as MCP defines it. Unknown types and fields pass through untouched. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly [extra: string]: unknown }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string; readonly [extra: string]: unknown }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string; readonly [extra: string]: unknown }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name?: string; readonly [extra: string]: unknown }
  | { readonly type: 'resource'; readonly resource: ResourceContents; readonly [extra: string]: unknown }
  | { readonly type: string & {}; readonly [extra: string]: unknown };

/** The contents of a resource: text, or base64 in `blob`. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly [extra: string]: unknown;
}

/** Why a call has no result of the tool's own. `code` is one of the codes in `docs/errors.md`. */
export interface CallFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: JsonObject;
}

/** Approximate sizes of a result as JSON, when a caller gets less than the server sent. */
export interface Truncation {
  readonly shownBytes: number;
  /** A lower bound where the result is nested too deeply to be measured. */
  readonly totalBytes: number;
  /** True if the structured output, which the tool's output schema promises, is left out. */
  readonly lacksOutput?: boolean;
}

/**
 * The result of a call. A failure is a result too: `isError` is true and `text` starts with `MCP error: `,
 * so a model can read it. `failure` is set when Toolwharf, not the tool, ended the call.
 */
export interface ToolResult {
  readonly isError: boolean;
  readonly content: readonly ContentBlock[];
  /** The text of all content blocks; a block without text is described in brackets. */
  readonly text: string;
  /** With the numbers of JavaScript: `toJsonText(raw)` has all digits of large integers. */
  readonly structuredContent?: unknown;
  readonly _meta?: JsonObject;
  readonly failure?: CallFailure;
  /** Set when the result was larger than `maxResultBytes`; `readResult` reads the whole of it in pages. */
  readonly truncated?: Truncation;
  /** The id of the call in the journal and in events. */
  readonly callId: string;
  /** The server's unchanged result, if there was one. */
  readonly raw?: JsonObject;
}

/** Hints that a server gives about a tool. They are untrusted unless the server is. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly [extra: string]: unknown;
}

/** A tool's definition as its server sent it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: JsonObject;
  readonly [extra: string]: unknown;
}

/** Options of `Tool.execute`. */
export interface ExecuteOptions {
  readonly signal?: AbortSignal;
}

/** A tool that an agent can use: of a server, or local. */
export interface Tool {
  /** The name the agent uses; unique in its toolbox. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema of the arguments, always of an object. */
  readonly parameters: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** The server it comes from; undefined for a local tool. */
  readonly server?: string;
  /** The server's own name for the tool. */
  readonly originalName: string;
  /** Never throws: every failure is a result with `isError`. */
  execute(args: JsonObject, options?: ExecuteOptions): Promise<ToolResult>;
}

/** Who asks: an API key, a user, an assistant. Shown in records and approvals. */
export interface Caller {
  readonly id: string;
  readonly kind: (typeof callerKinds)[number];
  readonly name?: string;
  /** Groups calls that share a remembered "this conversation" answer. */
  readonly conversation?: string;
  /** The id of the signed-in person on whose behalf the call is made; undefined if nobody has signed in. */
  readonly user?: string;
  /** The program with which the caller makes the call, as it calls itself. */
  readonly client?: ClientProgram;
}

/** The name and version that a program states about itself. They are not verified. */
export interface ClientProgram {
  readonly name: string;
  readonly version?: string;
}

/** Progress that a tool reports. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  /** Members that the protocol does not define, and `_meta`. */
  readonly extra?: JsonObject;
}

/** Who calls, and how the call is observed and cancelled. */
export interface CallOptions extends ExecuteOptions {
  readonly caller?: Caller;
  /** Same key and arguments give the stored result; other arguments are a conflict. */
  readonly idempotencyKey?: string;
  /** Receives the progress that the tool reports. */
  readonly onProgress?: (progress: Progress) => void;
  /** Passed on to the server as the request's `_meta`. */
  readonly meta?: JsonObject;
}

/** The part of a toolbox that a bridge needs: its tools, and calls that never throw. */
export interface ToolSource {
  readonly tools: readonly Tool[];
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolResult>;
  /** Runs a script over the tools, with the arguments of `run_code`; undefined if scripts cannot run. */
  readonly runCode?: (args: unknown, options?: CallOptions) => Promise<ToolResult>;
  /** Ranks tools by their meaning too when models search them; undefined for keywords alone. */
  readonly embed?: Embed;
}
