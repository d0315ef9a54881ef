import type { RefObject } from 'react';
import { Field, Input, Select, TextArea } from '../../../components/fields.tsx';
import { focusOnce } from '../form-lines.ts';
import type { endpointFields } from '../form-problems.ts';
import { EndpointArguments } from './EndpointArguments.tsx';
import { type EndpointDraft, type Method, withPath } from './endpoint-draft.ts';

export type EndpointProblems = ReadonlyMap<(typeof endpointFields)[number], string>;

export interface EndpointFieldsProps {
  readonly endpoint: EndpointDraft;
  readonly problems: EndpointProblems;
  readonly added: RefObject<number | undefined>;
  readonly onChange: (endpoint: EndpointDraft) => void;
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The fields of an endpoint. */
export function EndpointFields({ endpoint, problems, added, onChange }: EndpointFieldsProps) {
  const change = (part: Partial<EndpointDraft>) => onChange({ ...endpoint, ...part });
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="grid grid-cols-[6.75rem_minmax(0,1fr)] gap-3">
        <Field label="Method" error={problems.get('method')}>
          {(field) => (
            <Select
              {...field}
              value={endpoint.method}
              onChange={(event) => change({ method: event.target.value as Method })}
            >
              {methods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Path" required hint="Appended to the base URL; {id} is an argument." error={problems.get('path')}>
          {(field) => (
            <Input
              {...field}
              className="font-mono"
              placeholder="/users/{id}"
              spellCheck={false}
              autoComplete="off"
              ref={(input) => focusOnce(input, endpoint.id, added)}
              value={endpoint.path}
              onChange={(event) => onChange(withPath(endpoint, event.target.value))}
            />
          )}
        </Field>
      </div>
      <Field
        label="Tool name"
        required
        hint="For example get_user. Letters, digits, _ . and - are allowed."
        error={problems.get('name')}
      >
        {(field) => (
          <Input
            {...field}
            className="font-mono"
            spellCheck={false}
            autoComplete="off"
            value={endpoint.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" hint="Tells the model what the tool does." error={problems.get('description')}>
        {(field) => (
          <TextArea
            {...field}
            className="field-sizing-content max-h-60 min-h-9!"
            value={endpoint.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <EndpointArguments
        endpoint={endpoint}
        problem={problems.get('input') ?? problems.get('query')}
        onChange={(args) => change({ args })}
      />
    </div>
  );
}
