import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Tool } from '../../api/client.ts';
import { isRecord } from '../../components/is-record.ts';
import { initialValue } from '../../components/schema-form/form-values.ts';
import { toFormSchema } from '../../components/schema-form/to-form-schema.ts';
import { readArguments, toolAddress } from '../../components/tool-address.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments in the form. */
export interface ArgumentsDraft {
  readonly value: Arguments;
  change(value: Arguments): void;
  /** Restores the defaults of the schema. */
  reset(): void;
}

/** The arguments in the form, initially from the address or the defaults of the schema. */
export function useArguments(tool: Tool): ArgumentsDraft {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [value, setValue] = useState<Arguments>(() => readArguments(search) ?? readDefaults(tool));
  useEffect(() => {
    const given = readArguments(search);
    if (given === undefined) return;
    setValue(given);
    // The form has the arguments now: the address drops them.
    navigate(toolAddress(tool.name), { replace: true });
  }, [search, tool.name, navigate]);
  return { value, change: setValue, reset: () => setValue(readDefaults(tool)) };
}

function readDefaults({ parameters }: Tool): Arguments {
  const form = toFormSchema(parameters);
  const value = form.ok ? initialValue(form.schema) : {};
  return isRecord(value) ? value : {};
}
