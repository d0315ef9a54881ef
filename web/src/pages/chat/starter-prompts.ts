import type { AssistantPreview } from '../../api/client.ts';
import { text } from '../../text/text.ts';

const { prompts } = text.chat;

// Suggestions for the filesystem server, each shown if the assistant has the tool.
const filesystem = [
  { tool: 'list_allowed_directories', prompt: prompts.folders },
  { tool: 'write_file', prompt: prompts.note },
  { tool: 'list_directory', prompt: prompts.files },
] as const;

const general = [prompts.abilities, prompts.tools];

/** Up to four suggestions for the first message to an assistant with these tools. */
export function starterPrompts(preview: AssistantPreview | undefined): readonly string[] {
  const names = new Set(preview?.tools.flatMap(({ originalName, enabled }) => (enabled ? [originalName] : [])));
  const fitting = filesystem.filter(({ tool }) => names.has(tool)).map(({ prompt }) => prompt);
  return [...fitting, ...general].slice(0, 4);
}
