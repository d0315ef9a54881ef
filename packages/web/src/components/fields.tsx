import { Check } from 'lucide-react';
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

const box =
  'w-full rounded-md border border-line-strong/70 bg-surface px-2.5 text-ink placeholder:text-ink-faint ' +
  'disabled:bg-sunken disabled:text-ink-faint aria-invalid:border-bad';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={classNames(box, 'h-9', className)} {...props} />;
}

export interface SearchInputProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field that searches a list. */
export function SearchInput({ label, onChange, ...props }: SearchInputProps) {
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={label}
      onChange={(event) => onChange(event.target.value)}
      {...props}
    />
  );
}

export function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={classNames(box, 'min-h-20 py-2 leading-relaxed', className)} {...props} />;
}

/** The browser's own select, which keyboards, phones and screen readers know. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select className={classNames(box, 'h-9 pr-8', className)} {...props} />;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string;
  readonly required?: boolean;
  readonly className?: string;
  readonly children: (props: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': true | undefined;
    readonly required: boolean | undefined;
  }) => ReactNode;
}

/** An input with its label, hint and error, connected for screen readers. */
export function Field({ label, hint, error, required, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint !== undefined && hintId, error !== undefined && errorId].filter(Boolean).join(' ');
  return (
    <div className={classNames('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
        {required && (
          <span className="text-bad" aria-hidden>
            {' '}
            *
          </span>
        )}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === undefined ? undefined : true,
        required: required ? true : undefined,
      })}
      {hint !== undefined && (
        <p id={hintId} className="text-xs text-ink-faint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={errorId} className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type OwnFieldProps = Pick<FieldProps, 'label' | 'hint' | 'error' | 'className'>;

export interface TextFieldProps extends OwnFieldProps, Omit<ComponentProps<'input'>, keyof OwnFieldProps | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** For code such as names, paths and URLs: monospaced, without spell check and completion. */
  readonly mono?: boolean;
}

/** A text input with its label. */
export function TextField({
  label,
  hint,
  error,
  required,
  className,
  mono = false,
  onChange,
  ...props
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} required={required} className={className}>
      {(field) => (
        <Input
          {...(mono && { className: 'font-mono', spellCheck: false, autoComplete: 'off' })}
          {...props}
          {...field}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface TextAreaFieldProps
  extends OwnFieldProps,
    Omit<ComponentProps<'textarea'>, keyof OwnFieldProps | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** For code: monospaced, without wrapped lines, spell check and completion. */
  readonly mono?: boolean;
}

/** A text area with its label. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { label, hint, error, required, className, mono = false, onChange, ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error} required={required} className={className}>
      {(field) => (
        <TextArea
          {...(mono && { className: codeClass, spellCheck: false, autoComplete: 'off', autoCapitalize: 'off' })}
          {...rest}
          {...field}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

const codeClass = 'overflow-x-auto font-mono text-xs whitespace-pre';

export interface SelectFieldProps<Value extends string> extends OwnFieldProps {
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
}

/** A select with its label. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { options, value, onChange, disabled, ...own } = props;
  return (
    <Field {...own}>
      {(field) => (
        <Select
          {...field}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: () => void;
}

/** A form that the app submits; the browser neither validates nor sends it. */
export function Form({ onSubmit, ...props }: FormProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // A form in a dialog must not submit the form that opened it.
        event.stopPropagation();
        onSubmit();
      }}
      {...props}
    />
  );
}

export interface ToggleProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly className?: string;
}

export function Checkbox({ checked, onChange, disabled, ...props }: ToggleProps) {
  return (
    <Toggle {...props}>
      {(id) => (
        <RadixCheckbox.Root
          id={id}
          checked={checked}
          disabled={disabled}
          onCheckedChange={(state) => onChange(state === true)}
          className="mt-0.5 grid size-4 shrink-0 place-items-center rounded border border-line-strong bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
        >
          <RadixCheckbox.Indicator>
            <Check aria-hidden className="size-3 text-on-accent" strokeWidth={3} />
          </RadixCheckbox.Indicator>
        </RadixCheckbox.Root>
      )}
    </Toggle>
  );
}

/** A switch that takes effect at once. */
export function Switch({ checked, onChange, disabled, ...props }: ToggleProps) {
  return (
    <Toggle {...props}>
      {(id) => (
        <RadixSwitch.Root
          id={id}
          checked={checked}
          disabled={disabled}
          onCheckedChange={onChange}
          className="mt-0.5 h-5 w-9 shrink-0 rounded-full border border-line-strong bg-sunken transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-50"
        >
          <RadixSwitch.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4.5 data-[state=checked]:bg-on-accent" />
        </RadixSwitch.Root>
      )}
    </Toggle>
  );
}

interface ToggleFrameProps extends Pick<ToggleProps, 'label' | 'hint' | 'className'> {
  readonly children: (id: string) => ReactNode;
}

function Toggle({ label, hint, className, children }: ToggleFrameProps) {
  const id = useId();
  return (
    <div className={classNames('flex items-start gap-2', className)}>
      {children(id)}
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && <p className="text-xs text-ink-faint">{hint}</p>}
      </div>
    </div>
  );
}
