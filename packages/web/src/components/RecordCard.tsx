import { type ReactNode, useState } from 'react';
import { capitalize } from '../text/capitalize.ts';
import { Button, ButtonLink } from './Button.tsx';
import { BadgedTitle, Card, CardHeader } from './Card.tsx';
import { RemovalDialog, type RemovalDialogProps } from './ConfirmDialog.tsx';
import { EmptyState } from './EmptyState.tsx';
import { type Fact, Facts } from './FactList.tsx';
import { Page } from './Page.tsx';
import { QueryState, type QueryStateProps } from './QueryState.tsx';
import { safeText } from './safe-text.ts';

interface Item {
  readonly name: string;
  readonly description?: string;
  readonly readOnly?: string;
}

export interface RecordCardProps<Record extends Item> extends Pick<RemovalDialogProps<Record>, 'remove' | 'children'> {
  readonly noun: 'profile' | 'script';
  readonly record: Record;
  /** Where the record comes from. */
  readonly badge: string;
  readonly facts: readonly (Fact | false | undefined)[];
  readonly canEdit?: boolean;
  readonly canRemove: boolean;
  /** Links beside "Edit", with the address of the record, and after all others. */
  readonly links?: (address: string) => ReactNode;
  readonly lastLink?: ReactNode;
}

/** A card of a record, with links to edit and duplicate it and a button that deletes it. `children`: the consequences of that. */
export function RecordCard<Record extends Item>(props: RecordCardProps<Record>) {
  const { noun, record, badge, facts, canEdit = true, canRemove, links, lastLink, remove, children } = props;
  const [isRemoving, setRemoving] = useState(false);
  const name = safeText(record.name, 100);
  const address = `/${noun}s/${encodeURIComponent(record.name)}`;
  return (
    <Card aria-label={name}>
      <CardHeader
        title={<BadgedTitle name={name} badge={badge} />}
        hint={record.description === undefined ? undefined : safeText(record.description, 1_000)}
        actions={
          <>
            {canEdit && (
              <>
                <ButtonLink size="small" href={address}>
                  {record.readOnly === undefined ? 'Edit' : 'View'}
                </ButtonLink>
                {links?.(address)}
                <ButtonLink size="small" look="quiet" href={`/${noun}s/new?copy=${encodeURIComponent(record.name)}`}>
                  Duplicate
                </ButtonLink>
                {canRemove && (
                  <Button size="small" look="quiet" onClick={() => setRemoving(true)} aria-label={`Delete ${name}`}>
                    Delete
                  </Button>
                )}
              </>
            )}
            {lastLink}
          </>
        }
      />
      <Facts facts={facts} />
      <RemovalDialog
        item={isRemoving ? record : undefined}
        title={() => `Delete '${name}'?`}
        action="Delete"
        remove={remove}
        done={`The ${noun} was deleted`}
        queryKey={`${noun}s`}
        onClose={() => setRemoving(false)}
      >
        {children}
      </RemovalDialog>
    </Card>
  );
}

export interface MissingRecordProps extends Pick<QueryStateProps, 'query'> {
  readonly noun: 'profile' | 'script' | 'assistant' | 'rule';
}

/** The page of a record that is still loading, or that does not exist. */
export function MissingRecord({ noun, query }: MissingRecordProps) {
  const title = capitalize(noun);
  return (
    <Page title={`${title}s`}>
      <QueryState query={query} what={`${noun}s`} />
      {query.data !== undefined && (
        <EmptyState
          title={`${title} not found`}
          actions={<ButtonLink href={`/${noun}s`}>{`Show all ${noun}s`}</ButtonLink>}
        >
          It was deleted, or the address is wrong.
        </EmptyState>
      )}
    </Page>
  );
}
