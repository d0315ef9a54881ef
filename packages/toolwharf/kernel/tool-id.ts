/** The identity of a tool, to which rules, trust, pins and limits belong. Clients and models call it by its exposed name. */
export interface ToolId {
  /** Undefined for a local tool. */
  readonly server?: string;
  /** The name that the server, or the program, gave it. */
  readonly tool: string;
}

/** The id of anything that names its server and its original name. */
export function toolIdOf({
  server,
  originalName,
}: {
  readonly server?: string;
  readonly originalName: string;
}): ToolId {
  return { server, tool: originalName };
}

/** A text that is equal for equal ids only: `server/tool`, or `tool` for a local tool. */
export function toolKey({ server, tool }: ToolId): string {
  return server === undefined ? escapeSlash(tool) : `${escapeSlash(server)}/${tool}`;
}

function escapeSlash(text: string): string {
  return text.replaceAll(/[%/]/g, encodeURIComponent);
}
