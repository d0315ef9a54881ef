import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from './Button.tsx';
import { useToast } from './Toasts.tsx';

export interface CopyButtonProps {
  readonly text: string | (() => string);
  /** The noun for the label: "schema". */
  readonly what: string;
  readonly children?: ReactNode;
}

export function CopyButton({ text: content, what, children }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(typeof content === 'string' ? content : content());
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    } catch {
      toast.error(new Error(`The browser did not allow copying the ${what}`));
    }
  }
  const icon = copied ? <Check aria-hidden /> : <Copy aria-hidden />;
  const label = copied ? 'Copied' : `Copy ${what}`;
  if (children === undefined) {
    return (
      <IconButton label={label} size="small" onClick={() => void copy()}>
        {icon}
      </IconButton>
    );
  }
  return (
    <Button size="small" onClick={() => void copy()}>
      {icon}
      {copied ? 'Copied' : children}
    </Button>
  );
}
