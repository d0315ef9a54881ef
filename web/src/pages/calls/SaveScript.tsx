import type { Call } from '../../api/client.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { Section } from '../../components/Facts.tsx';
import { text } from '../../text/text.ts';
import { toChainYaml } from './chain-yaml.ts';

const words = text.calls.saveScript;

/** The script of a `run_code` call as a chain of the configuration, which makes it a tool. */
export function SaveScript({ call }: { readonly call: Call }) {
  const { code } = call.arguments;
  if (call.server !== undefined || call.originalName !== 'run_code' || typeof code !== 'string') return null;
  return (
    <Section title={words.title}>
      <details>
        <summary className="cursor-pointer">{words.show}</summary>
        <p className="my-2 text-ink-soft">{words.about}</p>
        <CodeBlock code={toChainYaml(code)} language="yaml" what={words.what} />
      </details>
    </Section>
  );
}
