import { TriangleAlert } from 'lucide-react';
import type { Tool } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { isSuspicious } from '../../components/DefinitionWarnings.tsx';
import { isOfKind } from './tool-search.ts';

/** The badges of a tool in a list: changed, suspicious, read-only, destructive. */
export function ToolBadges({ tool }: { readonly tool: Tool }) {
  return (
    <>
      {tool.changed !== undefined && (
        <Badge tone="warn">
          <TriangleAlert aria-hidden />
          changed
        </Badge>
      )}
      {isSuspicious(tool.warnings) && (
        <Badge tone="bad">
          <TriangleAlert aria-hidden />
          suspicious
        </Badge>
      )}
      {isOfKind(tool, 'read-only') && <Badge>read-only</Badge>}
      {isOfKind(tool, 'destructive') && <Badge tone="bad">destructive</Badge>}
    </>
  );
}
