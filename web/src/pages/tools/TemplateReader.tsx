import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { safeText } from '../../components/safe-text.ts';
import { CompletedField } from './CompletedField.tsx';
import { OfferHeader, ResourceContent } from './ResourceReader.tsx';
import { expandTemplate, variablesIn } from './uri-template.ts';

export interface TemplateReaderProps {
  readonly server: string;
  readonly template: Readonly<Record<string, unknown>>;
}

/** A resource template: its variables to fill in, the address they give, and what is there. */
export function TemplateReader({ server, template }: TemplateReaderProps) {
  const uriTemplate = String(template.uriTemplate ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [reading, setReading] = useState<string>();
  const uri = expandTemplate(uriTemplate, values);
  return (
    <>
      <OfferHeader item={template} address={uriTemplate} />
      <form
        className="flex min-w-0 flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setReading(uri);
        }}
      >
        {variablesIn(uriTemplate).map((name) => (
          <CompletedField
            key={name}
            server={server}
            reference={{ type: 'ref/resource', uri: uriTemplate }}
            name={name}
            label={name}
            values={values}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <p className="text-xs break-all text-ink-soft">
          Reads <code>{safeText(uri, 500)}</code>
        </p>
        <Button type="submit" look="primary" className="self-start">
          Read it
        </Button>
      </form>
      {reading !== undefined && <ResourceContent key={reading} server={server} uri={reading} />}
    </>
  );
}
