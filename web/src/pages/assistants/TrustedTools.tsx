import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../api/queries.ts';
import { Notice } from '../../components/ErrorNotice.tsx';
import type { AssistantDraft } from './assistant-draft.ts';
import { PatternField } from './PatternField.tsx';
import { createSwitchedOff, createTrusted, localServer } from './tool-patterns.ts';

export interface TrustedToolsProps extends Pick<AssistantDraft, 'serverIds' | 'disabledTools'> {
  readonly patterns: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[]) => void;
}

/** The tools that run without a question, chosen among those that the assistant has. */
export function TrustedTools({ serverIds, disabledTools, patterns, error, onChange }: TrustedToolsProps) {
  const servers = useQuery(queries.servers()).data;
  const tools = useQuery(queries.tools()).data;
  const own = useMemo(() => {
    const names = new Map(servers?.map(({ id, name }) => [id, name]));
    const chosen = new Set(serverIds.map((id) => names.get(id) ?? id));
    const isOff = createSwitchedOff(disabledTools);
    return (tools ?? []).filter((tool) => chosen.has(tool.server ?? localServer) && !isOff(tool));
  }, [servers, tools, serverIds, disabledTools]);
  return (
    <>
      <PatternField
        label="Trusted tools"
        hint="Choose a tool, or write a pattern with * for any text: files/read_*. Write it as server/tool, so that no other server can take the name."
        patterns={patterns}
        removeLabel="No longer trust"
        tools={own}
        matcherOf={createTrusted}
        error={error}
        onChange={onChange}
      />
      {patterns.length === 0 && (
        <Notice>
          No tool is trusted yet, so every call asks. Tools that only read, on servers that the configuration calls
          trusted, run by themselves.
        </Notice>
      )}
    </>
  );
}
