import { createContext, useContext } from 'react';
import type { FormSchema } from './form-schema.ts';

export type FieldPath = readonly (string | number)[];

/** The properties of a form that every field uses. */
export interface FormSettings {
  /** The schema that references lead into. */
  readonly root: FormSchema;
  readonly idPrefix: string;
  readonly disabled: boolean;
  /** `question`: a server asks a person, so that fields are labelled with titles instead of names. */
  readonly purpose: 'arguments' | 'question';
  /** Messages by JSON pointer. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

export const FormContext = createContext<FormSettings | undefined>(undefined);

export function useForm(): FormSettings {
  const form = useContext(FormContext);
  if (!form) throw new Error('A form field needs a form around it');
  return form;
}

/** The ids of a field's input, hint and error, and its error message. */
export function useFieldIds(path: FieldPath) {
  const { idPrefix, problems } = useForm();
  // Ids are listed in attributes, so they must not contain spaces.
  const id = `${idPrefix}${path.map((part) => `-${encodeURIComponent(String(part).toWellFormed())}`).join('')}`;
  const error = [...new Set(problems.get(toPointer(path)))].join('. ');
  return { id, hintId: `${id}-hint`, errorId: `${id}-error`, error: error === '' ? undefined : error };
}

export function toPointer(path: FieldPath): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
