import { TriangleAlert } from 'lucide-react';
import type { Tool } from '../../api/client.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { isSuspicious } from '../../components/DefinitionWarnings.tsx';
import { isOfKind } from './tool-search.ts';

/** The most important about a tool in a word each, for lists. */
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

const claims: readonly (readonly [hint: string, value: boolean, tone: Tone, text: string])[] = [
  ['readOnlyHint', true, 'neutral', 'only reads'],
  ['readOnlyHint', false, 'warn', 'changes things'],
  ['destructiveHint', true, 'bad', 'may destroy'],
  ['destructiveHint', false, 'neutral', 'destroys nothing'],
  ['idempotentHint', true, 'neutral', 'repeating does no harm'],
  ['openWorldHint', true, 'neutral', 'reaches out of the server'],
  ['openWorldHint', false, 'neutral', 'stays within the server'],
];

/** What the server claims about its tool. Nobody has checked it, and it says so. */
export function ToolClaims({ tool }: { readonly tool: Tool }) {
  const made = claims.filter(([hint, value]) => tool.annotations?.[hint] === value);
  if (made.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-xs text-ink-soft">
      The server says it:
      {made.map(([, , tone, text]) => (
        <Badge key={text} tone={tone}>
          {text}
        </Badge>
      ))}
      <span className="text-ink-faint">its own claim, not checked</span>
    </p>
  );
}
