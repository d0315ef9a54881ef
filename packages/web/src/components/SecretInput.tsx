import { Eye, EyeOff, Pencil, Undo2 } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { IconButton } from './Button.tsx';
import { Input } from './fields.tsx';

/** A typed secret, or a mark for the stored one. */
export type Secret = string | { readonly set: true };

export interface SecretInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> {
  readonly value: Secret;
  /** Whether the gateway has a stored value. */
  readonly isStored?: boolean;
  /** Names the secret in button labels. */
  readonly noun: string;
  readonly onChange: (value: Secret) => void;
}

/** A secret, masked while typed. A stored secret is never shown. */
export function SecretInput({ value, isStored = false, noun, onChange, ...props }: SecretInputProps) {
  const [isShown, setShown] = useState(false);
  if (typeof value !== 'string') {
    return (
      <div className="flex gap-1">
        <Input {...props} value="stored" readOnly className="min-w-0 text-ink-soft italic" />
        <IconButton label={`Replace ${noun}`} onClick={() => onChange('')} icon={Pencil} />
      </div>
    );
  }
  return (
    <div className="flex gap-1">
      <Input
        {...props}
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        spellCheck={false}
        className="min-w-0 font-mono"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <IconButton label={isShown ? `Hide ${noun}` : `Show ${noun}`} onClick={() => setShown(!isShown)}>
        {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      </IconButton>
      {isStored && <IconButton label={`Keep stored ${noun}`} onClick={() => onChange({ set: true })} icon={Undo2} />}
    </div>
  );
}
