import type { ChangeReaction, Naming } from '../../contract/settings/choices.ts';
import type { ToolLimits } from '../../contract/settings/config.ts';
import type { ParamHeader } from '../connections/param-headers.ts';
import type { ToolAnnotations, ToolDefinition } from '../kernel/tool.ts';
import type { DefinitionChange } from './definition-diff.ts';
import type { LocalTool } from './local-tool.ts';

/** A tool with its limits and its definition. Server and original name identify it. */
export interface CatalogTool {
  /** The exposed name in the toolbox's naming. */
  readonly name: string;
  /** The name the server, or the program, gave it. */
  readonly originalName: string;
  readonly server?: string;
  readonly serverAddress?: string;
  readonly serverTrusted: boolean;
  /** The definition for clients and models: the server's, with the title and description that an administrator set. */
  readonly definition: ToolDefinition;
  /** The server's definition, if an administrator changed its title or description. */
  readonly original?: ToolDefinition;
  readonly annotations?: ToolAnnotations;
  /** The hash of the server's definition. */
  readonly definitionHash: string;
  readonly limits: ToolLimits;
  /** The definition is not the accepted one: calls are denied or need approval. */
  readonly changed?: ChangeReaction;
  /** Its server offered the tool after its first list, and nobody has accepted it: profiles with `newTools: hide` do not have it. */
  readonly isNew?: true;
  readonly changes?: readonly DefinitionChange[];
  /** The accepted definition's hash and time, if the definition is not the accepted one. */
  readonly accepted?: { readonly hash: string; readonly at: string };
}

/** A tool as the toolbox knows it. */
export interface CatalogEntry extends CatalogTool {
  /** Another tool owns the exposed name without a suffix. */
  readonly suffixed?: boolean;
  /** The name that an administrator gave the tool, which replaces its own in the exposed name. */
  readonly alias?: string;
  /** The names that tool patterns are matched against. */
  readonly scope: NamingScope;
  readonly paramHeaders: readonly ParamHeader[];
  readonly local?: LocalTool;
  /** Set if the tool is a script: its code, or undefined if callers send the code. */
  readonly script?: { readonly code?: string };
  /** The tool is in no catalog and has no effect of its own: the calls that it makes are authorized instead. */
  readonly isBuiltIn?: boolean;
}

/** The names that a pattern can refer to. */
export interface NamingScope {
  readonly naming: Naming;
  /** Configured servers, the longest configured first. */
  readonly servers: readonly string[];
  readonly localTools: ReadonlySet<string>;
}

/** Facts about the connection that decide how a server's tools are registered. */
export interface ServerFacts {
  /** The server is reached over modern HTTP, where schemas may ask for arguments in headers. */
  readonly usesParamHeaders?: boolean;
  /** The toolbox is still starting: a strict server's unknown tools stop it. */
  readonly starting?: boolean;
}

/** A tool before it has its exposed name. */
export type UnnamedEntry = Omit<CatalogEntry, 'name' | 'scope' | 'alias' | 'original'>;
