import type { Tool } from '../../api/client.ts';
import { ArgumentsView } from '../../components/ArgumentsView.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { text } from '../../text/text.ts';

const words = text.tools.chain;

/** The script of a chain, or the calls that it makes, in order. */
export function ChainView({ chain }: { readonly chain: NonNullable<Tool['chain']> }) {
  if (chain.code !== undefined) return <CodeBlock code={chain.code} language="ts" what={words.code} />;
  return (
    <ol className="flex min-w-0 list-decimal flex-col gap-4 pl-5">
      {chain.steps?.map(({ tool, arguments: args }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps do not move
        <li key={at}>
          <TextLink href={`/tools/${encodeURIComponent(tool)}`} className="font-mono text-xs break-all">
            {safeText(tool, 200)}
          </TextLink>
          <div className="mt-1">
            <ArgumentsView value={args} />
          </div>
        </li>
      ))}
    </ol>
  );
}
