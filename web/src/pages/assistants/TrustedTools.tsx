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

/** The tools of the assistant that run without approval. */
export function TrustedTools({ serverIds, disabledTools, patterns, error, onChange }: TrustedToolsProps) {
  const { preview } = useToolPreview({ serverIds, disabledTools, trustedTools: patterns });
  const enabledTools = useMemo(() => preview?.tools.filter(({ enabled }) => enabled) ?? [], [preview]);
  return (
    <>
      <PatternField
        label="Trusted tools"
        hint="Select a tool or type a pattern such as files/read_*. Use server/tool, so that no other server can take the name."
        patterns={patterns}
        removeLabel="Stop trusting"
        tools={enabledTools}
        matchesOf={({ trustedBy, enabled }) => (enabled ? trustedBy : [])}
        preview={preview}
        error={error}
        onChange={onChange}
      />
      {patterns.length === 0 && (
        <Notice>
          No trusted tools yet. Only read-only tools on servers that the configuration marks as trusted run without
          approval.
        </Notice>
      )}
    </>
  );
}
