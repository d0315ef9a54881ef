import { AddressField } from './AddressField.tsx';
import { EndpointList } from './endpoints/EndpointList.tsx';
import type { FormPartProps } from './form-part.ts';

/** What an HTTP API can do: told by its own document, by hand, or by both. */
export function ApiFields({ draft, initial, problems, onChange }: FormPartProps) {
  return (
    <>
      <AddressField
        label="OpenAPI document"
        hint="Its address, such as https://api.example.com/openapi.json. Each operation in it becomes a tool."
        stored={initial.openapi}
        value={draft.openapi}
        error={problems.at('openapi')}
        onChange={(openapi) => onChange({ openapi })}
      />
      <EndpointList endpoints={draft.endpoints} problems={problems} onChange={(endpoints) => onChange({ endpoints })} />
    </>
  );
}
