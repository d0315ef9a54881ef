import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { api } from '../../api/api.ts';
import type { CompletionInput } from '../../api/client.ts';
import { isRecord } from '../../components/content/is-record.ts';
import { Field, Input } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';

export interface CompletedFieldProps {
  readonly server: string;
  /** What it is an argument of. */
  readonly reference: CompletionInput['ref'];
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** All arguments as they are filled in now. */
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

const maxSuggestions = 100;
const typingPauseMs = 200;

/** A field whose values the server may suggest while it is being filled in. */
export function CompletedField(props: CompletedFieldProps) {
  const { server, reference, name, label, hint, required = false, values, onChange } = props;
  const value = values[name] ?? '';
  const list = useId();
  const [asked, setAsked] = useState(false);
  const settled = useSettled(value);
  const { [name]: _own, ...others } = values;
  const suggestions = useQuery({
    queryKey: ['content', 'completion', server, reference, name, settled, others],
    queryFn: ({ signal }) =>
      api.complete({
        path: { server },
        body: { ref: reference, argument: { name, value: settled }, context: { arguments: others } },
        signal,
      }),
    enabled: asked,
    // Many servers have no completion. That is no reason to complain, or to ask twice.
    retry: false,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  return (
    <Field label={safeText(label, 200)} required={required} {...(hint !== undefined && { hint: safeText(hint, 500) })}>
      {(field) => (
        <>
          <Input
            {...field}
            list={list}
            autoComplete="off"
            value={value}
            onFocus={() => setAsked(true)}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {valuesIn(suggestions.data).map((suggestion) => (
              <option key={suggestion} value={suggestion} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), typingPauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function valuesIn(answer: Readonly<Record<string, unknown>> | undefined): string[] {
  const completion = answer?.completion;
  if (!isRecord(completion) || !Array.isArray(completion.values)) return [];
  const values = completion.values.filter((value) => typeof value === 'string');
  return [...new Set(values.map((value) => safeText(value, 500)))].slice(0, maxSuggestions);
}
