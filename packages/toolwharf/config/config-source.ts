import type { z } from 'zod';
import type { DeepReadonly } from '../../contract/json.ts';
import type { NativeConfig } from '../../contract/settings/native-schema.ts';
import type { serverSchema } from '../../contract/settings/server-schema.ts';
import type { LoadedConfig } from './loaded-config.ts';

/**
 * A configuration: the path of a file, an object in one of the dialects, or the result of `loadConfig` or `parseConfig`.
 * Objects are typed exactly, so that a mistyped key is a type error; pass an object of unknown type through `parseConfig`.
 */
export type ConfigSource =
  | string
  | NativeConfig
  | BridgeConfig
  | SquidbotConfig
  | MyaiConfig
  | ClientConfig
  | LoadedConfig;

type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Key;

/** The type with its keys also in snake_case. */
type EitherCase<Value> = Value & { readonly [Key in keyof Value & string as SnakeCase<Key>]?: Value[Key] };

type ServerInput = DeepReadonly<z.input<typeof serverSchema>>;
type Limits = EitherCase<NonNullable<ServerInput['defaultToolConfig']>>;
type Settings = Omit<ServerInput, 'transport' | 'defaultToolConfig'>;

/** A server in the dialects of other programs. Keys may be camelCase or snake_case. */
type AnyServer = EitherCase<Settings> & {
  readonly transport?: string;
  readonly defaultToolConfig?: Limits;
  readonly default_tool_config?: Limits;
};

/** `servers` with a common default timeout in seconds or a common number of retries. */
export type BridgeConfig = Omit<NativeConfig, 'servers'> & {
  readonly servers: Readonly<Record<string, AnyServer & { readonly name?: string }>>;
} & ({ readonly default_timeout: number; readonly max_retries?: number } | { readonly max_retries: number });

/** Toolwharf's own keys, which work beside the servers of every dialect. */
type OwnKeys = Omit<NativeConfig, 'servers'>;

/** `mcp_servers`, at the top level or under `tools`. */
export type SquidbotConfig = OwnKeys &
  (
    | { readonly mcp_servers: Readonly<Record<string, AnyServer>> }
    | { readonly tools: { readonly mcp_servers: Readonly<Record<string, AnyServer>> } }
  );

type MyaiTool = Limits & { readonly name: string; readonly server?: string; readonly mode?: ServerInput['mode'] };

/** `myai.toolbox`, with timeouts in seconds. */
export interface MyaiConfig extends OwnKeys {
  readonly myai: {
    readonly toolbox: EitherCase<Omit<NonNullable<NativeConfig['toolbox']>, 'tools'>> & {
      readonly tools?: readonly MyaiTool[];
      readonly mcps?: readonly (AnyServer & {
        readonly name: string;
        readonly tool_allowlist?: readonly string[];
        readonly tool_denylist?: readonly string[];
      })[];
    };
  };
}

/** A server in a file of an MCP client. */
type ClientServer = Omit<AnyServer, 'args' | 'env'> & {
  readonly type?: string;
  readonly serverUrl?: string;
  readonly httpUrl?: string;
  readonly args?: readonly (string | number | boolean)[];
  readonly env?: Readonly<Record<string, string | number | boolean | null>>;
  readonly disabled?: boolean;
  readonly disabledTools?: readonly string[];
  readonly oauth?: object;
  readonly auth?: object;
  readonly envFile?: string;
};

type ClientInputs = readonly { readonly id: string; readonly default?: string; readonly [key: string]: unknown }[];

/** `mcpServers` (Claude, Cursor, Windsurf, …) or `servers` with `type` and `inputs` (VS Code). */
export type ClientConfig = OwnKeys &
  (
    | { readonly mcpServers: Readonly<Record<string, ClientServer>>; readonly inputs?: ClientInputs }
    | { readonly mcp: { readonly servers: Readonly<Record<string, ClientServer>>; readonly inputs?: ClientInputs } }
    | {
        readonly servers: Readonly<Record<string, ClientServer & { readonly type: string }>>;
        readonly inputs?: ClientInputs;
      }
  );
