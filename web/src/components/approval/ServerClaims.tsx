import { text } from '../../text/text.ts';
import { Badge, type Tone } from '../Badge.tsx';

const claims: readonly {
  readonly key: string;
  readonly value: boolean;
  readonly tone: Tone;
  readonly words: string;
}[] = [
  { key: 'readOnlyHint', value: true, tone: 'neutral', words: 'claims read-only' },
  { key: 'destructiveHint', value: true, tone: 'bad', words: text.approval.serverClaims.claimsDestructive },
  { key: 'destructiveHint', value: false, tone: 'neutral', words: 'claims non-destructive' },
  { key: 'idempotentHint', value: true, tone: 'neutral', words: text.approval.serverClaims.claimsRepeatsSafe },
  { key: 'openWorldHint', value: true, tone: 'neutral', words: text.approval.serverClaims.claimsExternalAccess },
  { key: 'openWorldHint', value: false, tone: 'neutral', words: text.approval.serverClaims.claimsNoExternalAccess },
];

/** The annotations that a server gives its own tool. They are not verified, so they are shown as claims. */
export function ServerClaims({ annotations }: { readonly annotations: Readonly<Record<string, unknown>> | undefined }) {
  const made = claims.filter(({ key, value }) => annotations?.[key] === value);
  if (made.length === 0) return null;
  return (
    <ul aria-label={text.approval.serverClaims.claimsServerAboutTool} className="flex flex-wrap gap-1.5">
      {made.map(({ tone, words }) => (
        <li key={words} title={text.approval.serverClaims.claimedServerNotVerified}>
          <Badge tone={tone}>{words}</Badge>
        </li>
      ))}
    </ul>
  );
}
