import { useQuery } from '@tanstack/react-query';
import type { Approval } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { CodeBlock } from '../CodeBlock.tsx';

/** The code of a script, by the id of its call; collapsed until opened. */
export function ScriptCode({ script }: { readonly script: string }) {
  const code = useQuery(queries.call(script)).data?.arguments.code;
  if (typeof code !== 'string') return null;
  return (
    <details>
      <summary className="cursor-pointer font-medium">Show the script</summary>
      <CodeBlock code={code} language="ts" what="script" maxHeight="20rem" />
    </details>
  );
}

/** Sorts approvals in the order in which a script made its calls. */
export function inScriptOrder(one: Approval, other: Approval): number {
  return (one.script?.step ?? 0) - (other.script?.step ?? 0);
}
