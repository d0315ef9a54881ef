import type { RegistryServer } from '../../../api/client.ts';
import { safeText } from '../../../components/safe-text.ts';

const shownWays = 50;

/** Ways of having a server that can't be taken here, and why. */
export function UnusableWays({ unusable }: Pick<RegistryServer, 'unusable'>) {
  if (unusable.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h4 className="font-medium">What can't be used here</h4>
      <ul className="flex flex-col gap-1 text-xs text-ink-soft">
        {unusable.slice(0, shownWays).map(({ what, reason }) => (
          <li key={`${what} ${reason}`} className="break-words">
            {what !== '' && (
              <>
                <code>{safeText(what, 500)}</code>:{' '}
              </>
            )}
            {safeText(reason, 500)}
          </li>
        ))}
      </ul>
      {unusable.length > shownWays && (
        <p className="text-xs text-ink-faint">
          The first {shownWays} of {unusable.length} are shown.
        </p>
      )}
    </section>
  );
}
