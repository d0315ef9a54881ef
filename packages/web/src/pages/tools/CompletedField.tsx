import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, type CompletionInput } from '../../api/client.ts';
import { Field, Input } from '../../components/fields.tsx';
import { isRecord } from '../../components/is-record.ts';
import { safeText } from '../../components/safe-text.ts';
import { useDebounced } from '../../components/use-debounced.ts';

export interface CompletedFieldProps {
  readonly server: string;
  /** The prompt or template that the argument belongs to. */
  readonly reference: CompletionInput['ref'];
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  /** The current values of all arguments. */
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

const maxSuggestions = 100;
const debounceMs = 200;

/** A field with suggestions from the server. */
export function CompletedField(props: CompletedFieldProps) {
  const { server, reference, name, label, hint, required = false, values, onChange } = props;
  const value = values[name] ?? '';
  const list = useId();
  const [isActive, setActive] = useState(false);
  const debounced = useDebounced(value, debounceMs);
  const { [name]: _own, ...others } = values;
  const suggestions = useQuery({
    queryKey: ['content', 'completion', server, reference, name, debounced, others],
    queryFn: ({ signal }) =>
      api.complete({
        path: { server },
        body: { ref: reference, argument: { name, value: debounced }, context: { arguments: others } },
        signal,
      }),
    enabled: isActive,
    // Many servers have no completion: failures are ignored.
    retry: false,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  return (
    <Field label={safeText(label, 200)} required={required} hint={hint === undefined ? undefined : safeText(hint, 500)}>
      {(field) => (
        <>
          <Input
            {...field}
            list={list}
            autoComplete="off"
            value={value}
            onFocus={() => setActive(true)}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {readSuggestions(suggestions.data).map((suggestion) => (
              <option key={suggestion} value={suggestion} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function readSuggestions(answer: Readonly<Record<string, unknown>> | undefined): string[] {
  const completion = answer?.completion;
  if (!isRecord(completion) || !Array.isArray(completion.values)) return [];
  const values = completion.values.filter((value) => typeof value === 'string');
  return [...new Set(values.map((value) => safeText(value, 500)))].slice(0, maxSuggestions);
}
