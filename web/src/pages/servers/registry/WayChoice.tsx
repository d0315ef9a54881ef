import { useId } from 'react';
import { classNames } from '../../../components/class-names.ts';
import { safeText } from '../../../components/safe-text.ts';
import type { RegistryWay } from './way-draft.ts';

export interface WayChoiceProps {
  readonly ways: readonly RegistryWay[];
  readonly chosen: number;
  readonly onChoose: (way: number) => void;
}

// More than anybody would look through.
const shownWays = 50;

const frame = 'flex items-start gap-2 rounded-md border px-2.5 py-2';

/** How the server can be had: an address to connect to, or a program to start. A single way is only shown. */
export function WayChoice({ ways, chosen, onChoose }: WayChoiceProps) {
  const id = useId();
  const [only] = ways;
  if (ways.length === 1 && only) {
    return (
      <section aria-labelledby={id} className="flex flex-col gap-1">
        <h4 id={id} className="font-medium">
          How it is added
        </h4>
        <div className={classNames(frame, 'border-line')}>
          <WayWords way={only} id={`${id}-only`} />
        </div>
      </section>
    );
  }
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">How it is added</legend>
      <div className="flex flex-col gap-1.5">
        {ways.slice(0, shownWays).map((way, number) => {
          const wayId = `${id}-${number}`;
          return (
            <label
              // biome-ignore lint/suspicious/noArrayIndexKey: a way is known by its number, to the gateway too
              key={number}
              className={classNames(
                frame,
                'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
                chosen === number ? 'border-accent bg-accent-soft' : 'border-line-strong/60 hover:bg-sunken',
              )}
            >
              <input
                type="radio"
                name={id}
                className="mt-1 accent-accent outline-none"
                checked={chosen === number}
                onChange={() => onChoose(number)}
                aria-labelledby={`${wayId}-kind ${wayId}-label`}
                aria-describedby={`${wayId}-words`}
              />
              <WayWords way={way} id={wayId} />
            </label>
          );
        })}
      </div>
      {ways.length > shownWays && (
        <p className="mt-1 text-xs text-ink-faint">
          The first {shownWays} of {ways.length} ways are shown.
        </p>
      )}
    </fieldset>
  );
}

const words = {
  address: [
    'Connect to an address',
    'The gateway connects to it, and sends it what you fill in and what tools are given.',
  ],
  program: ['Start a program', 'The gateway fetches it and runs it on its own machine, with its own rights.'],
} as const;

function WayWords({ way: { kind, label }, id }: { readonly way: RegistryWay; readonly id: string }) {
  const [title, meaning] = words[kind];
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      <span id={`${id}-kind`} className="font-medium">
        {title}
      </span>
      <code id={`${id}-label`} className="text-xs whitespace-pre-wrap">
        {safeText(label, 2_000)}
      </code>
      <span id={`${id}-words`} className="text-xs text-ink-soft">
        {meaning}
      </span>
    </span>
  );
}
