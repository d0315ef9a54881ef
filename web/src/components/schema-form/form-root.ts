import { createContext, useContext } from 'react';
import type { FormSchema } from './form-schema.ts';

/** The whole schema of the form, which references lead into. */
export const FormRootContext = createContext<FormSchema>({});

export const useFormRoot = () => useContext(FormRootContext);
