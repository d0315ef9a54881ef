import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Tool } from '../../api/client.ts';
import { isRecord } from '../../components/content/is-record.ts';
import { initialValue } from '../../components/schema-form/initial-value.ts';
import { toFormSchema } from '../../components/schema-form/to-form-schema.ts';
import { argumentsIn, toolAddress } from './tool-address.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments that are being filled in. */
export interface ArgumentsDraft {
  readonly value: Arguments;
  change(value: Arguments): void;
  /** Takes others in place of what was filled in. */
  replace(value: Arguments): void;
  /** Back to the schema's defaults. */
  reset(): void;
}

/** Begins with the arguments in the address, if there are any, or with the schema's defaults. */
export function useArguments(tool: Tool): ArgumentsDraft {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [value, setValue] = useState<Arguments>(() => argumentsIn(search) ?? defaultsOf(tool));
  useEffect(() => {
    const given = argumentsIn(search);
    if (given === undefined) return;
    setValue(given);
    // Taken: the address names the tool again and nothing else.
    navigate(toolAddress(tool.name), { replace: true });
  }, [search, tool.name, navigate]);
  return { value, change: setValue, replace: setValue, reset: () => setValue(defaultsOf(tool)) };
}

function defaultsOf({ parameters }: Tool): Arguments {
  const form = toFormSchema(parameters);
  const value = form.ok ? initialValue(form.schema) : {};
  return isRecord(value) ? value : {};
}
