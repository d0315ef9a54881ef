import { Badge, type Tone } from '../Badge.tsx';

const claims: readonly {
  readonly key: string;
  readonly value: boolean;
  readonly tone: Tone;
  readonly words: string;
}[] = [
  { key: 'readOnlyHint', value: true, tone: 'neutral', words: 'claims read-only' },
  { key: 'destructiveHint', value: true, tone: 'bad', words: 'claims to be destructive' },
  { key: 'destructiveHint', value: false, tone: 'neutral', words: 'claims non-destructive' },
  { key: 'idempotentHint', value: true, tone: 'neutral', words: 'claims repeats are safe' },
  { key: 'openWorldHint', value: true, tone: 'neutral', words: 'claims external access' },
  { key: 'openWorldHint', value: false, tone: 'neutral', words: 'claims no external access' },
];

/** The annotations that a server gives its own tool. They are not verified, so they are shown as claims. */
export function ServerClaims({ annotations }: { readonly annotations: Readonly<Record<string, unknown>> | undefined }) {
  const made = claims.filter(({ key, value }) => annotations?.[key] === value);
  if (made.length === 0) return null;
  return (
    <ul aria-label="Claims of the server about this tool" className="flex flex-wrap gap-1.5">
      {made.map(({ tone, words }) => (
        <li key={words} title="Claimed by the server, not verified">
          <Badge tone={tone}>{words}</Badge>
        </li>
      ))}
    </ul>
  );
}
