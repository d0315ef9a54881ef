import { Badge, type Tone } from '../Badge.tsx';

const claims: readonly {
  readonly key: string;
  readonly value: boolean;
  readonly tone: Tone;
  readonly words: string;
}[] = [
  { key: 'readOnlyHint', value: true, tone: 'neutral', words: 'says it only reads' },
  { key: 'destructiveHint', value: true, tone: 'bad', words: 'says it may destroy' },
  { key: 'destructiveHint', value: false, tone: 'neutral', words: 'says it destroys nothing' },
  { key: 'idempotentHint', value: true, tone: 'neutral', words: 'says it can be repeated' },
  { key: 'openWorldHint', value: true, tone: 'neutral', words: 'says it reaches the outside world' },
  { key: 'openWorldHint', value: false, tone: 'neutral', words: 'says it stays in its own world' },
];

/** What a server says of its own tool. Nobody checked it, so it is told as what it is: a claim. */
export function ServerClaims({ annotations }: { readonly annotations: Readonly<Record<string, unknown>> | undefined }) {
  const made = claims.filter(({ key, value }) => annotations?.[key] === value);
  if (made.length === 0) return null;
  return (
    <ul aria-label="What the server says of this tool" className="flex flex-wrap gap-1.5">
      {made.map(({ tone, words }) => (
        <li key={words} title="The server's own word; nobody checked it.">
          <Badge tone={tone}>{words}</Badge>
        </li>
      ))}
    </ul>
  );
}
