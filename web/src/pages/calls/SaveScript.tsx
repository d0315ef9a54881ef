import type { Call } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { Section } from '../../components/Facts.tsx';
import { text } from '../../text/text.ts';
import { toChainYaml } from './chain-yaml.ts';

const words = text.calls.saveScript;

/** Makes a tool of the script of a `run_code` call: saved here, or as a chain of the configuration. */
export function SaveScript({ call }: { readonly call: Call }) {
  const { code } = call.arguments;
  const isAdmin = useIsAdmin();
  if (call.server !== undefined || call.originalName !== 'run_code' || typeof code !== 'string') return null;
  return (
    <Section title={words.title}>
      {isAdmin && (
        <ButtonLink size="small" href={`/scripts/new?call=${encodeURIComponent(call.id)}`} className="mb-2">
          {words.save}
        </ButtonLink>
      )}
      <details>
        <summary className="cursor-pointer">{words.show}</summary>
        <p className="my-2 text-ink-soft">{words.about}</p>
        <CodeBlock code={toChainYaml(code)} language="yaml" what={words.what} />
      </details>
    </Section>
  );
}
