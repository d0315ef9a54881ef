import { Eye, EyeOff, Pencil, Undo2 } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { IconButton } from '../../components/Button.tsx';
import { Input } from '../../components/fields.tsx';
import type { Secret } from './server-draft.ts';

export interface SecretInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> {
  readonly value: Secret;
  /** What the gateway has stored for it; it is kept unless another is typed. */
  readonly isStored?: boolean;
  /** What it is, for its buttons: "token". */
  readonly what: string;
  readonly onChange: (value: Secret) => void;
}

/** A secret: dots while it is typed, and never shown again once it is stored. */
export function SecretInput({ value, isStored = false, what, onChange, ...props }: SecretInputProps) {
  const [isShown, setShown] = useState(false);
  if (typeof value !== 'string') {
    return (
      <div className="flex gap-1">
        <Input {...props} value="stored, stays as it is" readOnly className="min-w-0 text-ink-soft italic" />
        <IconButton label={`Replace ${what}`} onClick={() => onChange('')}>
          <Pencil aria-hidden />
        </IconButton>
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
      <IconButton label={isShown ? `Hide ${what}` : `Show ${what}`} onClick={() => setShown(!isShown)}>
        {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      </IconButton>
      {isStored && (
        <IconButton label={`Keep the stored ${what}`} onClick={() => onChange({ set: true })}>
          <Undo2 aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
