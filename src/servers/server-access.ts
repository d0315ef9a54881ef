import type { Config, ServerSpec } from '../config/config.ts';
import type { Reach } from '../connections/http/guard-addresses.ts';
import { ToolwharfError } from '../kernel/errors.ts';

export interface ServerAccessOptions {
  readonly config: () => Config;
  /** Whether servers that are added while running must have public addresses; undefined trusts them like those of the file. */
  readonly publicOnly?: (config: Config) => boolean;
  /** Allows servers that are started as local programs; true. */
  readonly spawn?: boolean;
}

/** Restricts which servers a toolbox may have. */
export interface ServerAccess {
  /** Which addresses a server may lead to. */
  reachOf(server: string): Reach;
  /** Returns the server; throws if it is a program and programs are not allowed. */
  assertAllowed(spec: ServerSpec): ServerSpec;
}

export function createServerAccess({ config, publicOnly, spawn }: ServerAccessOptions): ServerAccess {
  return {
    reachOf(server) {
      if (!publicOnly || config().servers.some(({ name }) => name === server)) return 'configured';
      return publicOnly(config()) ? 'public' : 'added';
    },
    assertAllowed(spec) {
      if (spawn !== false || spec.target.transport !== 'stdio') return spec;
      const message = `Server '${spec.name}' is a local (stdio) server, and starting programs is not allowed here: use a URL`;
      throw new ToolwharfError('CONFIG_INVALID', message, { data: { server: spec.name } });
    },
  };
}
