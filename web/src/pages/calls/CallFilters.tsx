import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ComponentProps, useEffect, useId, useMemo, useRef, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { nameOfCaller } from '../../components/approval/labels.ts';
import { Button } from '../../components/Button.tsx';
import { Field, Input, Select, TextField } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { fromLocalTime, toLocalTime } from '../../components/schema-form/form-values.ts';
import { type CallFilter, type Range, ranges, statuses } from './call-filter.ts';
import type { ListedCall } from './merge-calls.ts';

export interface CallFiltersProps {
  readonly filter: CallFilter;
  /** The listed calls; their callers are suggested. */
  readonly calls: readonly ListedCall[];
  readonly onChange: (filter: CallFilter) => void;
}

const maxSuggestions = 300;
const debounceMs = 300;

/** The filter of the list. The page keeps it in its address. */
export function CallFilters({ filter, calls, onChange }: CallFiltersProps) {
  const servers = useQuery(queries.servers()).data ?? [];
  const change = (part: Partial<CallFilter>) => onChange({ ...filter, ...part });
  const isBetween = filter.since !== undefined || filter.until !== undefined;
  const names = [...new Set([...servers.map(({ name }) => name), ...(filter.server ? [filter.server] : [])])];

  function changeTime(choice: string): void {
    const none = { range: undefined, since: undefined, until: undefined };
    if (choice === '') change(none);
    else if (choice !== 'between') change({ ...none, range: choice as Range });
    else change({ ...none, since: new Date(Date.now() - ranges['1h'].ms).toISOString() });
  }

  return (
    <search className="grid grid-cols-2 items-end gap-x-3 gap-y-2 text-xs sm:grid-cols-3 lg:grid-cols-[repeat(5,minmax(0,1fr))_auto]">
      <Field label="Server">
        {(field) => (
          <Select
            {...field}
            value={filter.server ?? ''}
            onChange={({ target }) => change({ server: emptyToUndefined(target.value) })}
          >
            <option value="">All servers</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {safeText(name, 100)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ToolField value={filter.tool} onChange={(tool) => change({ tool })} />
      <Field label="Status">
        {(field) => (
          <Select
            {...field}
            value={filter.status ?? ''}
            onChange={({ target }) => change({ status: emptyToUndefined(target.value) as CallFilter['status'] })}
          >
            <option value="">Any status</option>
            {Object.entries(statuses).map(([status, label]) => (
              <option key={status} value={status}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <CallerField value={filter.caller} calls={calls} onChange={(caller) => change({ caller })} />
      <Field label="Time">
        {(field) => (
          <Select
            {...field}
            value={isBetween ? 'between' : (filter.range ?? '')}
            onChange={({ target }) => changeTime(target.value)}
          >
            <option value="">Any time</option>
            {Object.entries(ranges).map(([range, { label }]) => (
              <option key={range} value={range}>
                {label}
              </option>
            ))}
            <option value="between">Between …</option>
          </Select>
        )}
      </Field>
      <Button disabled={Object.keys(filter).length === 0} onClick={() => onChange({})}>
        <X aria-hidden />
        Clear
      </Button>
      {isBetween && (
        <>
          <TimeField label="From" value={filter.since} onChange={(since) => change({ since })} />
          <TimeField label="Until" value={filter.until} onChange={(until) => change({ until })} />
        </>
      )}
    </search>
  );
}

interface TextFieldProps {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function ToolField({ value, onChange }: TextFieldProps) {
  const id = useId();
  const tools = useQuery(queries.tools()).data;
  const names = useMemo(() => [...new Set(tools?.map(({ originalName }) => originalName))].sort(), [tools]);
  return (
    <Field label="Tool">
      {(field) => (
        <>
          <DebouncedInput {...field} list={id} placeholder="Full name" value={value ?? ''} onChange={onChange} />
          <datalist id={id}>
            {names.slice(0, maxSuggestions).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function CallerField({ value, calls, onChange }: TextFieldProps & { readonly calls: readonly ListedCall[] }) {
  const id = useId();
  const callers = useMemo(() => new Map(calls.map(({ caller }) => [caller.id, nameOfCaller(caller)])), [calls]);
  return (
    <Field label="Caller">
      {(field) => (
        <>
          <DebouncedInput {...field} list={id} placeholder="Full id" value={value ?? ''} onChange={onChange} />
          <datalist id={id}>
            {[...callers].slice(0, maxSuggestions).map(([caller, name]) => (
              <option key={caller} value={caller}>
                {name}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function TimeField({ label, value, onChange }: TextFieldProps & { readonly label: string }) {
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={value === undefined ? '' : (toLocalTime(value)?.slice(0, 16) ?? '')}
      onChange={(text) => onChange(fromLocalTime(text))}
    />
  );
}

interface DebouncedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}

/** Reports its value once the person stops typing. */
function DebouncedInput({ value, onChange, ...props }: DebouncedInputProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Input
      {...props}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(target.value.trim() || undefined), debounceMs);
      }}
    />
  );
}

function emptyToUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}
