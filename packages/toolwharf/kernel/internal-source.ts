import type { JsonObject, JsonSchema } from '../../contract/json.ts';
import type { Caller, ToolSource } from './tool.ts';

/** A source with what the bridges also use of our toolboxes. Sources of other programs do not have it. */
export interface InternalToolSource extends ToolSource {
  /** The output of a tool that declares none, as the results show it that the caller got; undefined if there are none. */
  readonly observeOutput?: (tool: string, caller?: string) => Promise<ObservedOutput | undefined>;
  /** Answers a search for tools and records it; undefined if searches are not recorded. Rejects if the search cannot be recorded. */
  readonly recordSearch?: (search: RecordedSearch, answerSearch: AnswerSearch) => Promise<JsonObject>;
  /** The servers in use and what they are for; those of the tools if undefined. */
  readonly listServers?: () => readonly ListedServer[];
  readonly waitForTools?: WaitForTools;
}

/** A server that has tools, and its purpose in a few words. */
export interface ListedServer {
  readonly name: string;
  readonly purpose?: string;
}

/**
 * Waits for the tools of servers to which a tool of this name may belong and whose tools this process does not know yet. Rejects with
 * SERVER_UNAVAILABLE if nothing runs such a server. Undefined if there is none.
 */
export type WaitForTools = (tool: string) => Promise<void> | undefined;

/** A search for tools, as the journal records it. */
export interface RecordedSearch {
  readonly tool: 'search_tools' | 'describe_tools';
  readonly arguments: unknown;
  /** Who searches; the program by default. */
  readonly caller?: Caller;
  /** The id of the record; a new one by default. */
  readonly id?: string;
  /** The call or answer that the search is a part of. */
  readonly parent?: { readonly kind: 'call' | 'answer'; readonly id: string };
}

/** Searches, and reports the names of the tools that the answer contains. */
export type AnswerSearch = (onFound: OnFound) => Promise<JsonObject>;

/** Receives the names of the tools that a search found. */
export type OnFound = (names: readonly string[]) => void;

/** The type of a tool's output, learnt from its results. */
export interface ObservedOutput {
  /** JSON Schema of the value that scripts get. It contains no values of the results. */
  readonly schema: JsonSchema;
  /** The number of results that it was learnt from. */
  readonly results: number;
  /** The differences between the latest result and all results before it. */
  readonly drift: readonly string[];
}
