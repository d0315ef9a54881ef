import { Plus } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../../components/Button.tsx';
import { endpointFields, type FormProblems } from '../form-problems.ts';
import { findDuplicates } from '../server-draft.ts';
import { EndpointCard } from './EndpointCard.tsx';
import { type EndpointDraft, toEndpointDraft } from './endpoint-draft.ts';

export interface EndpointListProps {
  readonly endpoints: readonly EndpointDraft[];
  readonly problems: FormProblems;
  readonly onChange: (endpoints: readonly EndpointDraft[]) => void;
}

/** The endpoints of an API that are defined in the form. */
export function EndpointList({ endpoints, problems, onChange }: EndpointListProps) {
  const added = useRef<number>(undefined);
  const duplicates = findDuplicates(endpoints);
  const problem = problems.at('endpoints');

  function add(): void {
    const endpoint = toEndpointDraft();
    added.current = endpoint.id;
    onChange([...endpoints, endpoint]);
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 font-medium">Endpoints</legend>
      {endpoints.map((endpoint, at) => {
        const found = new Map(
          endpointFields.flatMap((field) => {
            const message = problems.at(`endpoints.${at}.${field}`);
            return message === undefined ? [] : [[field, message] as const];
          }),
        );
        if (duplicates.has(endpoint.name)) found.set('name', 'Another endpoint has this name');
        return (
          <EndpointCard
            key={endpoint.id}
            endpoint={endpoint}
            number={at + 1}
            problems={found}
            added={added}
            onChange={(next) => onChange(endpoints.map((item) => (item.id === next.id ? next : item)))}
            onRemove={() => onChange(endpoints.filter(({ id }) => id !== endpoint.id))}
          />
        );
      })}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="small" onClick={add}>
          <Plus aria-hidden />
          Add endpoint
        </Button>
        <p className="min-w-0 flex-1 text-xs text-ink-faint">
          Each endpoint becomes a tool, in addition to the operations of the document.
        </p>
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
