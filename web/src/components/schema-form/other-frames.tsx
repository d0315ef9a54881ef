import {
  ADDITIONAL_PROPERTY_FLAG,
  type MultiSchemaFieldTemplateProps,
  type WrapIfAdditionalTemplateProps,
} from '@rjsf/utils';
import { X } from 'lucide-react';
import { IconButton } from '../Button.tsx';
import { Input } from '../fields.tsx';
import { safeText } from '../safe-text.ts';
import { domId } from './dom-ids.ts';

/** A choice between kinds of value, and the fields of the chosen one. */
export function UnionFrame({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3 border-l-2 border-line pl-3">
      {selector}
      {optionSchemaField}
    </div>
  );
}

/** A property that was added by hand: its name can be changed, and it can go again. */
export function AddedProperty(props: WrapIfAdditionalTemplateProps) {
  const { id, schema, label, disabled, children, onKeyRenameBlur, onRemoveProperty } = props;
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <>{children}</>;
  return (
    <div className="flex min-w-0 flex-wrap items-start gap-2">
      <Input
        key={label}
        id={`${domId(id)}-name`}
        aria-label="Name of the property"
        defaultValue={label}
        disabled={disabled}
        onBlur={onKeyRenameBlur}
        className="min-w-32 flex-1 basis-1/3"
      />
      <div className="min-w-40 flex-2 basis-1/2">{children}</div>
      <IconButton label={`Remove ${safeText(label, 100)}`} size="small" disabled={disabled} onClick={onRemoveProperty}>
        <X aria-hidden />
      </IconButton>
    </div>
  );
}
