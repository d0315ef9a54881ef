import { CircleCheck } from 'lucide-react';
import type { ProviderTest } from '../../../api/client.ts';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { formatDuration, formatNumber } from '../../../text/formats.ts';
import { plural } from '../../../text/plural.ts';

const maxShown = 200;

/** The result of a provider test. */
export function ProviderTestResult({ test: { ok, latencyMs, models, problem } }: { readonly test: ProviderTest }) {
  if (!ok) {
    return (
      <Notice tone="bad" title="The test failed">
        {safeText(problem ?? 'The provider reported no reason.', 1_000)}
      </Notice>
    );
  }
  return (
    <div role="status" className="rounded-lg border border-good/40 bg-good-soft px-3 py-2.5">
      <p className="flex items-center gap-2 font-medium">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
        {`Connected in ${formatDuration(latencyMs)}. ${plural(models.length, 'model')} found.`}
      </p>
      {models.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer">Show models</summary>
          <ul className="mt-1 max-h-48 columns-1 overflow-y-auto font-mono text-xs sm:columns-2">
            {models.slice(0, maxShown).map(({ id }) => (
              <li key={id} className="break-words">
                {safeText(id, 200)}
              </li>
            ))}
          </ul>
          {models.length > maxShown && <p className="text-xs">{`${formatNumber(models.length - maxShown)} more.`}</p>}
        </details>
      )}
    </div>
  );
}
