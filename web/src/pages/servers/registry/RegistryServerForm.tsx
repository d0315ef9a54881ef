import { useEffect, useRef } from 'react';
import type { RegistryServer } from '../../../api/client.ts';
import { classNames } from '../../../components/class-names.ts';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { LongText } from '../LongText.tsx';
import { ProgramNotice } from '../ProgramNotice.tsx';
import { toPlanProblems } from './plan-problems.ts';
import { RegistryFacts } from './RegistryFacts.tsx';
import { UnusableWays } from './UnusableWays.tsx';
import { WayChoice } from './WayChoice.tsx';
import { WayInputs } from './WayInputs.tsx';
import type { WayDraft } from './way-draft.ts';

export interface RegistryServerFormProps {
  readonly server: RegistryServer;
  readonly draft: WayDraft;
  /** Why the gateway could not go on with what was filled in. */
  readonly refusal: unknown;
  readonly mayAddPrograms: boolean;
  readonly onChange: (draft: WayDraft) => void;
  readonly onSignIn: () => void;
  readonly onSubmit: () => void;
}

/** One server of the registry: what it would be here, and what it has to be told. */
export function RegistryServerForm(props: RegistryServerFormProps) {
  const { server, draft, refusal, mayAddPrograms, onChange, onSignIn, onSubmit } = props;
  const { name, title, description, status, ways, unusable } = server;
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const way = ways[draft.way];
  const inputs = way?.inputs ?? [];
  const problems = toPlanProblems(
    refusal,
    inputs.map(({ key }) => key),
  );
  // It takes the place of the list: whoever can't see that hears it.
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    if (!refusal) return;
    const found = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]');
    found?.scrollIntoView({ block: 'center' });
    found?.focus({ preventScroll: true });
  }, [refusal]);

  return (
    <form
      ref={form}
      id="registry-form"
      noValidate
      autoComplete="off"
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="flex flex-col gap-1">
        <h3 ref={heading} tabIndex={-1} className={classNames('break-words outline-none', !title && 'font-mono')}>
          {safeText(title || name, 200)}
        </h3>
        <RegistryFacts server={server} />
        {description !== '' && (
          <p className="text-ink-soft">
            <LongText text={description} />
          </p>
        )}
      </div>
      {status === 'deprecated' && (
        <Notice tone="warn" title="It is deprecated">
          The registry advises against using it any more. Look for what has taken its place.
        </Notice>
      )}
      {ways.length === 0 && (
        <Notice tone="warn" title="It can't be added from here">
          {unusable.length === 0
            ? 'The registry names no address to connect to and no package to run.'
            : 'None of its ways can be taken, for the reasons below.'}
        </Notice>
      )}
      {way && <WayChoice ways={ways} chosen={draft.way} onChoose={(number) => onChange({ ...draft, way: number })} />}
      {way?.kind === 'program' && !mayAddPrograms && <ProgramNotice onSignIn={onSignIn} />}
      {problems.general.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      {inputs.length > 0 && (
        <WayInputs key={draft.way} inputs={inputs} draft={draft} problems={problems} onChange={onChange} />
      )}
      <UnusableWays unusable={unusable} />
    </form>
  );
}
