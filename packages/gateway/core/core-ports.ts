import type { Config } from '../../contract/settings/config.ts';
import type { SearchForScripts } from '../../toolwharf/features/scripts/search-for-scripts.ts';
import type { Embed } from '../../toolwharf/kernel/embed.ts';
import type { Log } from '../../toolwharf/kernel/log.ts';
import type { AccountPorts } from '../../toolwharf/servers/accounts/open-accounts.ts';
import type { Storage } from '../../toolwharf/storage/storage.ts';
import type { InternalToolboxOptions } from '../../toolwharf/toolbox-types.ts';
import type { SignIn } from './auth/sign-in.ts';
import type { Traces } from './calls/traces.ts';
import type { AppFrames } from './http/frames.ts';

/** The ports of the core that features supply. Each is supplied by one feature at most, and the core does without it otherwise. */
export interface CorePorts {
  readonly traces?: Traces;
  readonly signIn?: SignIn;
  readonly frames?: AppFrames;
  /** Where people connect their own accounts at servers; without it, nobody has accounts. */
  readonly accounts?: AccountPorts;
  /** Finds tools by meaning; without it, by keywords. */
  readonly embed?: Embed;
  /** Runs scripts; without it, profiles offer no tools for scripts. */
  readonly scripts?: (searchFor: (profile: string) => Promise<SearchForScripts>) => InternalToolboxOptions['scripts'];
}

/** What features have when they start, before the servers do. */
export interface StartParts {
  /** The current configuration. */
  readonly config: () => Config;
  readonly storage: Storage;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The listen address. */
  readonly host: string;
  /** 32 bytes that encrypt session ids. The same on all replicas. */
  readonly sessionKey: Buffer;
  /** Aborts when the gateway begins to stop. */
  readonly stopping: AbortSignal;
  /** Where browsers return after a sign-in to a server; undefined if the gateway's address for browsers is unknown. */
  readonly returnUrl: () => string | undefined;
}
