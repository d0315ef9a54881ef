import type { RefObject } from 'react';
import type { RegistryServer } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { safeText } from '../../../components/safe-text.ts';
import { LongText } from '../LongText.tsx';
import { RegistryFacts } from './RegistryFacts.tsx';

export interface RegistryRowProps {
  readonly server: RegistryServer;
  /** The server whose button gets the focus, once. */
  readonly focusOn: RefObject<string | undefined>;
  readonly onChoose: () => void;
}

/** One server that was found, as its publisher describes it. */
export function RegistryRow({ server, focusOn, onChoose }: RegistryRowProps) {
  const { name, title, description } = server;

  function takeFocus(button: HTMLButtonElement | null): void {
    if (!button || focusOn.current !== name) return;
    focusOn.current = undefined;
    button.focus();
  }

  return (
    <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2 py-2.5">
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <p className={classNames('font-semibold break-words', !title && 'font-mono')}>{safeText(title || name, 200)}</p>
        <RegistryFacts server={server} />
        {description !== '' && (
          <p className="text-ink-soft">
            <LongText text={description} />
          </p>
        )}
      </div>
      <Button ref={takeFocus} size="small" aria-label={`Choose ${safeText(name, 200)}`} onClick={onChoose}>
        Choose
      </Button>
    </div>
  );
}
