import { useMemo } from 'react';
import { Notice } from '../../components/ErrorNotice.tsx';
import type { AssistantDraft } from './assistant-draft.ts';
import { useToolPreview } from './assistant-queries.ts';
import { PatternField } from './PatternField.tsx';

export interface TrustedToolsProps extends Pick<AssistantDraft, 'serverIds' | 'disabledTools'> {
  readonly patterns: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (patterns: readonly string[]) => void;
}

/** The tools that run without a question, chosen among those that the assistant has. */
export function TrustedTools({ serverIds, disabledTools, patterns, error, onChange }: TrustedToolsProps) {
  const { preview } = useToolPreview({ serverIds, disabledTools, trustedTools: patterns });
  const enabledTools = useMemo(() => preview?.tools.filter(({ enabled }) => enabled) ?? [], [preview]);
  return (
    <>
      <PatternField
        label="Trusted tools"
        hint="Choose a tool, or write a pattern with * for any text: files/read_*. Write it as server/tool, so that no other server can take the name."
        patterns={patterns}
        removeLabel="No longer trust"
        tools={enabledTools}
        matchesOf={({ trustedBy, enabled }) => (enabled ? trustedBy : [])}
        preview={preview}
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
