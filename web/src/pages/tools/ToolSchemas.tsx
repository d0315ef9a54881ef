import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tool, ToolFormats } from '../../api/client.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { ViewToggle } from '../../components/content/ViewToggle.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { toCliCommand, toCurlCommand } from './copy-commands.ts';
import { toolQueries } from './tool-queries.ts';

export interface ToolSchemasProps {
  readonly tool: Tool;
  /** What is filled in on the other tab, for the commands. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** A tool's schemas to read, and its definition and call in the words of others to take away. */
export function ToolSchemas({ tool, args }: ToolSchemasProps) {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Part title="Input schema">
        <CodeBlock code={JSON.stringify(tool.parameters, null, 2)} language="json" what="input schema" />
      </Part>
      {tool.outputSchema && (
        <Part title="Output schema">
          <CodeBlock code={JSON.stringify(tool.outputSchema, null, 2)} language="json" what="output schema" />
        </Part>
      )}
      <Part title="The definition for others">
        <Formats tool={tool} />
      </Part>
      <Part title="The same call on the command line">
        <CodeBlock code={toCliCommand(tool.name, args)} language="shell" what="CLI command" maxHeight="12rem" />
      </Part>
      <Part title="The same call over HTTP">
        <CodeBlock
          code={toCurlCommand(location.origin, tool.name, args)}
          language="shell"
          what="curl command"
          maxHeight="14rem"
        />
      </Part>
    </div>
  );
}

const formats = [
  { id: 'mcp', label: 'MCP' },
  { id: 'openai', label: 'OpenAI' },
  { id: 'anthropic', label: 'Anthropic' },
  { id: 'gemini', label: 'Gemini' },
] as const;

type Format = (typeof formats)[number]['id'];

function Formats({ tool }: { readonly tool: Tool }) {
  const [format, setFormat] = useState<Format>('mcp');
  const known = useQuery(toolQueries.formats(tool.name, tool.definitionHash));
  const label = formats.find(({ id }) => id === format)?.label ?? '';
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <ViewToggle label="Format" views={formats} value={format} onChange={setFormat} />
      <div className="w-full min-w-0">
        {known.isError && <ErrorNotice error={known.error} onRetry={() => void known.refetch()} />}
        {known.isPending && <Spinner label="Loading …" />}
        {known.data && <Definition formats={known.data} format={format} label={label} />}
      </div>
    </div>
  );
}

interface DefinitionProps {
  readonly formats: ToolFormats;
  readonly format: Format;
  readonly label: string;
}

function Definition({ formats: known, format, label }: DefinitionProps) {
  const definition = known[format];
  if (definition) {
    return (
      <CodeBlock key={format} code={JSON.stringify(definition, null, 2)} language="json" what={`${label} definition`} />
    );
  }
  const reason = known.omitted.find((one) => one.format === format)?.reason ?? 'no reason is known';
  return (
    <p className="text-ink-soft">
      {label} can't take this tool: {safeText(reason, 500)}
    </p>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm">{title}</h3>
      {children}
    </section>
  );
}
