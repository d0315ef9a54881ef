import type { AssistantPreview } from '../../api/client.ts';

// What the tools of the filesystem server are good for, each shown when its tool is there.
const filesystem = [
  { tool: 'list_allowed_directories', prompt: 'Which folders may you use?' },
  { tool: 'write_file', prompt: 'Write a note "Hello from Toolwharf", then read it back' },
  { tool: 'list_directory', prompt: 'List the files that you can see' },
] as const;

const anywhere = ['What can you do for me?', 'Which tools do you have?'] as const;

/** Things to say first that this assistant can do something with. */
export function starterPrompts(preview: AssistantPreview | undefined): readonly string[] {
  const names = new Set(preview?.tools.flatMap(({ originalName, enabled }) => (enabled ? [originalName] : [])));
  const fitting = filesystem.filter(({ tool }) => names.has(tool)).map(({ prompt }) => prompt);
  return [...fitting, ...anywhere].slice(0, 4);
}
