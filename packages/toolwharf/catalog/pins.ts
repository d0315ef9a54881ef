import type { ServerSpec } from '../../contract/settings/config.ts';
import { toServerAddress } from '../connections/protocol-cache.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { SkillDefinition } from '../kernel/skill.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

/** The accepted definition of a tool or skill: the first one seen, or one that a person accepted later. */
export interface Pin extends PinnedHash {
  readonly serverAddress: string;
  /** The name of the tool on its server, or the URI of the skill. */
  readonly tool: string;
  readonly definition: ToolDefinition | SkillDefinition;
  readonly acceptedAt: string;
}

/** The part of a pin that is compared with every listed tool. */
export interface PinnedHash {
  readonly hash: string;
  /** The server offered the tool after its first list, and nobody has accepted it: later changes are compared with this definition. */
  readonly isNew?: true;
  /** The tool's exposed name has a suffix: when the tool was first seen, another tool owned the name without one. */
  readonly suffixed?: true;
}

/** The hash of a pin and of whether the tool is accepted. */
export function acceptanceHash({ hash, isNew }: PinnedHash): string {
  return isNew ? `new ${hash}` : hash;
}

/** A part of all pins. */
export interface PinPage {
  /** The `pinKey` of the last pin of the previous page. */
  readonly after?: string;
  readonly limit?: number;
}

/** Identifies a pin. Hashed, since addresses can be long and contain secrets. */
export function pinKey({ serverAddress, tool }: Pick<Pin, 'serverAddress' | 'tool'>): string {
  return hashOf([serverAddress, tool]);
}

/** The pinned tools of a server, as the server listed them. */
export async function readAcceptedTools(pins: PinStore, spec: ServerSpec): Promise<readonly ToolDefinition[]> {
  const accepted = await pins.readAll(toServerAddress(spec));
  return accepted.flatMap(({ tool, definition }) =>
    'inputSchema' in definition && definition.name === tool ? [definition as ToolDefinition] : [],
  );
}

/** Stores pins. A server can have many thousands: each method except `get` costs one read or write for all of them. */
export interface PinStore {
  get(serverAddress: string, tool: string): Promise<Pin | undefined>;
  /** The hashes of all pins of a server, by tool. */
  readHashes(serverAddress: string): Promise<{ get(tool: string): PinnedHash | undefined }>;
  /** All pins of a server. */
  readAll(serverAddress: string): Promise<readonly Pin[]>;
  /** Adds pins, or replaces those of the same tools. */
  setAll(pins: readonly Pin[]): Promise<void>;
  /** Marks the pins of these tools as suffixed. */
  setSuffixed(serverAddress: string, tools: readonly string[]): Promise<void>;
  /** The acceptance hashes of all pins by `pinKey`, without their definitions. */
  listHashes(): Promise<ReadonlyMap<string, string>>;
  /** All pins, or a page of them, in the order of `pinKey`. */
  list(page?: PinPage): Promise<readonly Pin[]>;
}
