import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatNumber, formatTime } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { type NewRule, type RuleDraft, toSettings } from './rule-draft.ts';

type Rule = Awaited<ReturnType<typeof api.getPolicy>>['rules'][number];
type Page = Awaited<ReturnType<typeof api.replayPolicy>>;

interface Replay extends Pick<Page, 'judged' | 'unknown' | 'flips'> {
  /** How much of the journal was read, from 0 to 1. */
  readonly progress: number;
  /** All flips; `flips` has the first ones. */
  readonly total: number;
}

export interface ReplayRuleProps {
  readonly draft: RuleDraft;
  readonly rules: readonly Rule[];
}

const weekMs = 7 * 86_400_000;
const shownFlips = 100;

/** Judges the calls of the last seven days with a rule as it is in the form, and lists those that it decides otherwise. */
export function ReplayRule({ draft, rules }: ReplayRuleProps) {
  const [replay, setReplay] = useState<Replay>();
  const replaying = useAction({
    showsError: true,
    async run() {
      const since = new Date(Date.now() - weekMs).toISOString();
      const changed = { ...toSettings(draft), mode: 'enforce', id: draft.name || 'new rule' } as NewRule;
      const sent = [...rules.filter(({ id }) => id !== draft.name).map(toSent), changed];
      let found: Replay = { judged: 0, unknown: 0, flips: [], total: 0, progress: 0 };
      setReplay(found);
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page: Page = await api.replayPolicy({ body: { rules: sent, since, after } });
        found = {
          judged: found.judged + page.judged,
          unknown: found.unknown + page.unknown,
          total: found.total + page.flips.length,
          flips: [...found.flips, ...page.flips].slice(0, shownFlips),
          progress: page.at / Math.max(1, page.head),
        };
        setReplay(found);
        after = page.next;
      }
    },
  });
  return (
    <Card aria-label="Replay">
      <CardHeader
        title="Replay"
        hint="The calls of the last seven days, judged with this rule enforced. Nothing is changed."
        actions={
          <Button
            size="small"
            busy={replaying.isPending}
            disabled={draft.when.trim() === ''}
            onClick={() => replaying.mutate()}
          >
            Replay calls
          </Button>
        }
      />
      <div className="flex flex-col gap-2 p-4">
        {replaying.isError && <ErrorNotice error={replaying.error} />}
        {replay && !replaying.isError && (
          <>
            <p role="status">
              {replaying.isPending && `${Math.floor(100 * replay.progress)} % of the journal: `}
              {`${plural(replay.judged, 'call')} judged, ${formatNumber(replay.total)} decided otherwise.`}
              {replay.unknown > 0 && ` ${plural(replay.unknown, 'call')} could not be judged.`}
            </p>
            <ul className="divide-y divide-line">
              {replay.flips.map(({ id, at, tool, caller, before, after, person }) => (
                <li key={id} className="flex flex-wrap gap-x-3 py-1.5 text-sm">
                  <TextLink href={`/calls/${encodeURIComponent(id)}`}>{safeText(tool, 100)}</TextLink>
                  <span className="text-ink-soft">
                    {formatTime(at)} · {safeText(caller, 100)}
                  </span>
                  <span>
                    {person === undefined
                      ? before
                      : `${before}, ${person === 'allow' ? 'allowed' : 'denied'} by a person`}{' '}
                    → {after}
                  </span>
                </li>
              ))}
            </ul>
            {replay.total > replay.flips.length && (
              <p className="text-ink-faint">{`The first ${replay.flips.length} are shown.`}</p>
            )}
          </>
        )}
      </div>
    </Card>
  );
}

/** A rule in the format of a request; its examples are not needed. */
function toSent({ id, when, then, add, classes, reason, mode, onFailure, profiles }: Rule): NewRule {
  return { id, when, then, add, classes, reason, mode, onFailure, profiles };
}
