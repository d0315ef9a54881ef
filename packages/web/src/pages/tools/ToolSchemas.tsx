import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tool, ToolFormats } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { CallCode } from '../../components/CallCode.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { Section } from '../../components/Facts.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { ViewToggle } from '../../components/ViewToggle.tsx';

export interface ToolSchemasProps {
  readonly tool: Tool;
  /** The arguments of the form, for the commands. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The schemas of a tool, its definition in other formats, and commands that call it. */
export function ToolSchemas({ tool, args }: ToolSchemasProps) {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Section title="Input schema">
        <CodeBlock code={JSON.stringify(tool.parameters, null, 2)} language="json" what="input schema" />
      </Section>
      {tool.outputSchema && (
        <Section title="Output schema">
          <CodeBlock code={JSON.stringify(tool.outputSchema, null, 2)} language="json" what="output schema" />
        </Section>
      )}
      <Section title="Definition">
        <Formats tool={tool} />
      </Section>
      <Section title="Call it from">
        <CallCode tool={tool.name} args={args} />
      </Section>
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
  const definitions = useQuery(queries.toolFormats(tool.name, tool.definitionHash));
  const label = formats.find(({ id }) => id === format)?.label ?? '';
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <ViewToggle label="Format" views={formats} value={format} onChange={setFormat} />
      <div className="w-full min-w-0">
        <QueryState query={definitions} what="definitions" />
        {definitions.data && <Definition definitions={definitions.data} format={format} label={label} />}
      </div>
    </div>
  );
}

interface DefinitionProps {
  readonly definitions: ToolFormats;
  readonly format: Format;
  readonly label: string;
}

function Definition({ definitions, format, label }: DefinitionProps) {
  const definition = definitions[format];
  if (definition) {
    return (
      <CodeBlock key={format} code={JSON.stringify(definition, null, 2)} language="json" what={`${label} definition`} />
    );
  }
  const reason = definitions.omitted.find((item) => item.format === format)?.reason ?? 'the reason is unknown';
  return <p className="text-ink-soft">{`This tool cannot be used with ${label}: ${safeText(reason, 500)}`}</p>;
}
