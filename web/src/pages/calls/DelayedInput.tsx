import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { Input } from '../../components/fields.tsx';

export interface DelayedInputProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}

const restMs = 300;

/** An input that tells what was written once the person pauses, so that half a word is not looked for. */
export function DelayedInput({ value, onChange, ...props }: DelayedInputProps) {
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
        timer.current = setTimeout(() => onChange(target.value.trim() || undefined), restMs);
      }}
    />
  );
}
