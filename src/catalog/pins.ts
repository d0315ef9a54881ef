import type { ToolDefinition } from '../kernel/tool.ts';

/** The accepted definition of a tool: the first one seen, or one that a person accepted later. */
export interface Pin {
  readonly serverAddress: string;
  readonly tool: string;
  readonly hash: string;
  readonly definition: ToolDefinition;
  readonly acceptedAt: string;
  /** The tool's exposed name has a suffix: when the tool was first seen, another tool owned the name without one. */
  readonly suffixed?: true;
}

/** The store of pins. */
export interface PinStore {
  get(serverAddress: string, tool: string): Promise<Pin | undefined>;
  set(pin: Pin): Promise<void>;
  list(): Promise<readonly Pin[]>;
}
