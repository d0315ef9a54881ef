import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../api/queries.ts';
import { text } from '../text/text.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { toCliCommand, toCurlCommand, toPython, toTypeScript } from './copy-commands.ts';
import { ViewToggle } from './ViewToggle.tsx';

const callFormats = [
  { id: 'cli', label: text.tools.toolSchemas.commandLine, language: 'shell', what: text.tools.toolSchemas.cliCommand },
  { id: 'curl', label: 'curl', language: 'shell', what: text.tools.toolSchemas.curlCommand },
  {
    id: 'typescript',
    label: 'TypeScript',
    language: 'typescript',
    what: text.tools.toolSchemas.typescriptProgram,
  },
  {
    id: 'python',
    label: text.tools.toolSchemas.python,
    language: 'python',
    what: text.tools.toolSchemas.pythonProgram,
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
      <ViewToggle label={text.tools.toolSchemas.language} views={callFormats} value={id} onChange={setId} />
      <div className="w-full min-w-0">
        <CodeBlock key={id} code={code} language={format.language} what={format.what} maxHeight="16rem" />
      </div>
    </div>
  );
}
