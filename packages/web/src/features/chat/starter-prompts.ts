import type { AssistantPreview } from '../../api/client.ts';

// Suggestions for the filesystem server, each shown if the assistant has the tool.
const filesystem = [
  { tool: 'list_allowed_directories', prompt: 'Which folders may you use?' },
  { tool: 'write_file', prompt: 'Write a note "Hello from Toolwharf", then read it back' },
  { tool: 'list_directory', prompt: 'List the files that you can see' },
] as const;

const general = ['What can you do for me?', 'Which tools do you have?'];

/** Up to four suggestions for the first message to an assistant with these tools. */
export function starterPrompts(preview: AssistantPreview | undefined): readonly string[] {
  const names = new Set(preview?.tools.flatMap(({ originalName, enabled }) => (enabled ? [originalName] : [])));
  const fitting = filesystem.filter(({ tool }) => names.has(tool)).map(({ prompt }) => prompt);
  return [...fitting, ...general].slice(0, 4);
}
