import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../api/queries.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { toCliCommand, toCurlCommand, toPython, toTypeScript } from './copy-commands.ts';
import { ViewToggle } from './ViewToggle.tsx';

const callFormats = [
  { id: 'cli', label: 'Command line', language: 'shell', what: 'CLI command' },
  { id: 'curl', label: 'curl', language: 'shell', what: 'curl command' },
  {
    id: 'typescript',
    label: 'TypeScript',
    language: 'typescript',
    what: 'TypeScript program',
  },
  {
    id: 'python',
    label: 'Python',
    language: 'python',
    what: 'Python program',
  },
] as const;

export interface CallCodeProps {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Code that makes a call, in several languages. */
export function CallCode({ tool, args }: CallCodeProps) {
  const session = useQuery(queries.session()).data;
  const [id, setId] = useState<(typeof callFormats)[number]['id']>('cli');
  const format = callFormats.find((option) => option.id === id) ?? callFormats[0];
  const code = {
    cli: () => toCliCommand(tool, args, session?.command),
    curl: () => toCurlCommand(location.origin, tool, args),
    typescript: () => toTypeScript(location.origin, tool, args),
    python: () => toPython(location.origin, tool, args),
  }[id]();
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <ViewToggle label="Language" views={callFormats} value={id} onChange={setId} />
      <div className="w-full min-w-0">
        <CodeBlock key={id} code={code} language={format.language} what={format.what} maxHeight="16rem" />
      </div>
    </div>
  );
}
