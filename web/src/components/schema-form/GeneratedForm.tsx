// The package's index also leads to parts for tests, which want a validator that is not here.
import Form from '@rjsf/core/lib/components/Form.js';
import {
  ErrorSchemaBuilder,
  englishStringTranslator,
  type Registry,
  type RJSFSchema,
  TranslatableString,
} from '@rjsf/utils';
import { useId, useMemo, useRef, useState } from 'react';
import { ChoiceWidget } from './ChoiceWidget.tsx';
import { FieldFrame } from './FieldFrame.tsx';
import { FormRootContext } from './form-root.ts';
import type { FormSchema } from './form-schema.ts';
import { ListFrame, ListItem } from './ListFrame.tsx';
import { ObjectFrame } from './ObjectFrame.tsx';
import { omitEmpty } from './omit-empty.ts';
import { UnionFrame } from './other-frames.tsx';
import { AnyField, BooleanField, CyclicField, NullField, NumberField } from './own-fields.tsx';
import {
  DateTimeWidget,
  DateWidget,
  EmailWidget,
  PasswordWidget,
  TextWidget,
  TimeWidget,
  UriWidget,
} from './text-widgets.tsx';
import { pathOf, validator } from './validator.ts';

export interface GeneratedFormProps {
  readonly schema: FormSchema;
  readonly value: Readonly<Record<string, unknown>>;
  /** Gets what was filled in, without what was left empty. */
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly disabled: boolean;
  /** What the gateway said about single values. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

const templates = {
  FieldTemplate: FieldFrame,
  ObjectFieldTemplate: ObjectFrame,
  ArrayFieldTemplate: ListFrame,
  ArrayFieldItemTemplate: ListItem,
  MultiSchemaFieldTemplate: UnionFrame,
  DescriptionFieldTemplate: () => null,
  ErrorListTemplate: () => null,
  FieldErrorTemplate: () => null,
  FieldHelpTemplate: () => null,
};

const fields = { BooleanField, NumberField, NullField, FallbackField: AnyField, CyclicSchemaField: CyclicField };

const widgets = {
  TextWidget,
  SelectWidget: ChoiceWidget,
  CheckboxesWidget: ChoiceWidget,
  EmailWidget,
  URLWidget: UriWidget,
  PasswordWidget,
  DateWidget,
  DateTimeWidget,
  TimeWidget,
};

/** Values come from what the person fills in and from nowhere else. */
const behaviour = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  allOf: 'skipDefaults',
} as const;

/** A property that is added begins empty. */
const translate: Registry['translateString'] = (words, params) =>
  words === TranslatableString.NewStringDefault ? '' : englishStringTranslator(words, params);

/** The form itself; with the library it is made of, it is fetched when it is first needed. */
export default function GeneratedForm({ schema, value, onChange, disabled, problems }: GeneratedFormProps) {
  const prefix = useId();
  const [data, setData] = useState<unknown>(value);
  const [seen, setSeen] = useState(value);
  const told = useRef(value);
  if (seen !== value) {
    setSeen(value);
    // What was told comes back, and must not take away the fields that are still empty.
    if (JSON.stringify(value) !== JSON.stringify(told.current)) setData(value);
  }
  const extraErrors = useMemo(() => {
    const builder = new ErrorSchemaBuilder();
    for (const { path, message } of problems) builder.addErrors(message, pathOf(path));
    return builder.ErrorSchema;
  }, [problems]);
  return (
    <FormRootContext value={schema}>
      <Form
        tagName="div"
        idPrefix={prefix}
        schema={schema as RJSFSchema}
        formData={data}
        validator={validator}
        templates={templates}
        fields={fields as never}
        widgets={widgets}
        disabled={disabled}
        translateString={translate}
        noHtml5Validate
        liveValidate="onBlur"
        showErrorList={false}
        extraErrors={extraErrors}
        experimental_defaultFormStateBehavior={behaviour}
        onChange={({ formData }) => {
          setData(formData);
          const filled = omitEmpty(formData ?? {}, schema, schema) as Readonly<Record<string, unknown>>;
          told.current = filled;
          onChange(filled);
        }}
      >
        {/* The button is the page's. */}
        {/* biome-ignore lint/complexity/noUselessFragments: without children the form brings a button of its own */}
        <></>
      </Form>
    </FormRootContext>
  );
}
