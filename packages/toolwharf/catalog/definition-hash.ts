import { ToolwharfError } from '../../contract/errors.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { exactly } from '../kernel/exact-json.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

/**
 * The parts of a definition that tell a model or a person what the tool does and what it is sent. Icons do not, and `_meta`
 * often changes (times, versions), so that pinning it would cause false alarms.
 */
export const hashedParts = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** SHA-256 of a tool's definition in hex, independent of the order of keys and of how a number is written. */
export function definitionHash(definition: ToolDefinition): string {
  try {
    return hashOf(Object.fromEntries(hashedParts.map((part) => [part, exactly(definition[part])])));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const name = definition.name.slice(0, 100);
    throw new ToolwharfError('SERVER_PROTOCOL', `The definition of tool '${name}' is nested too deeply to be read`, {
      cause,
    });
  }
}
