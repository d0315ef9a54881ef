import { Card, CardHeader } from '../../../components/Card.tsx';
import { CodeBlock } from '../../../components/CodeBlock.tsx';
import { curlExample, type ExampleParts, sdkExample } from './examples.ts';

/** The ways for programs of one's own, with the address that this page came from. */
export function OwnPrograms({ path, needsKey }: Pick<ExampleParts, 'path' | 'needsKey'>) {
  const parts = { origin: location.origin, path, needsKey };
  return (
    <>
      <Card className="min-w-0">
        <CardHeader title="Programs: MCP" hint="Any SDK for MCP. This one is the official one for TypeScript." />
        <div className="p-4">
          <CodeBlock code={sdkExample(parts)} language="typescript" what="SDK example" />
        </div>
      </Card>
      <Card className="min-w-0">
        <CardHeader
          title="Programs: REST"
          hint={
            <>
              Everything this app does, too. Described at{' '}
              <a href="/api/openapi.json" target="_blank" rel="noreferrer" className="underline underline-offset-2">
                /api/openapi.json
              </a>
            </>
          }
        />
        <div className="p-4">
          <CodeBlock code={curlExample(parts)} language="shell" what="curl example" />
        </div>
      </Card>
    </>
  );
}
