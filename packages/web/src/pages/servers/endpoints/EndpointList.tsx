import { ChevronRight, X } from 'lucide-react';
import { type RefObject, useId, useRef, useState } from 'react';
import { Badge } from '../../../components/Badge.tsx';
import { IconButton } from '../../../components/Button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { SelectField, TextAreaField, TextField } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { formatNumber } from '../../../text/formats.ts';
import { focusOnce } from '../form-lines.ts';
import { endpointFields, type FormProblems } from '../form-problems.ts';
import { AddButton } from '../LineList.tsx';
import { findDuplicates } from '../server-draft.ts';
import { EndpointArguments } from './EndpointArguments.tsx';
import { type EndpointDraft, hasArgumentProblems, type Method, toEndpointDraft, withPath } from './endpoint-draft.ts';

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
      <AddButton
        noun="endpoint"
        hint="Each endpoint becomes a tool, in addition to the operations of the document."
        onAdd={add}
      />
      {problem !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface EndpointCardProps {
  readonly endpoint: EndpointDraft;
  readonly number: number;
  readonly problems: EndpointProblems;
  /** The endpoint that was just added. It is open and focused. */
  readonly added: RefObject<number | undefined>;
  readonly onChange: (endpoint: EndpointDraft) => void;
  readonly onRemove: () => void;
}

/** One endpoint, collapsed to a line. An endpoint with problems is always open. */
function EndpointCard({ endpoint, number, problems, added, onChange, onRemove }: EndpointCardProps) {
  const { id, name, method, path } = endpoint;
  const body = useId();
  const [isOpened, setOpened] = useState(added.current === id);
  const isOpen = isOpened || problems.size > 0 || hasArgumentProblems(endpoint);
  const label = name.trim() === '' ? `endpoint ${formatNumber(number)}` : safeText(name, 128);
  return (
    <div className="min-w-0 rounded-md border border-line-strong/60">
      <div className="flex items-center gap-1 p-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? body : undefined}
          className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-2 rounded px-1.5 py-1 text-left hover:bg-sunken"
          onClick={() => setOpened(!isOpen)}
        >
          <ChevronRight
            aria-hidden
            className={classNames('size-4 shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
          />
          <Badge>{method}</Badge>
          <span className="min-w-0 font-mono text-xs break-all">
            {path.trim() === '' ? 'no path yet' : safeText(path, 300)}
          </span>
          <span className="min-w-0 text-ink-soft break-all">{safeText(name, 128)}</span>
        </button>
        <IconButton label={`Remove ${label}`} size="small" onClick={onRemove} icon={X} />
      </div>
      {isOpen && (
        <div id={body} className="border-t border-line p-3">
          <EndpointFields endpoint={endpoint} problems={problems} added={added} onChange={onChange} />
        </div>
      )}
    </div>
  );
}

type EndpointProblems = ReadonlyMap<(typeof endpointFields)[number], string>;

interface EndpointFieldsProps {
  readonly endpoint: EndpointDraft;
  readonly problems: EndpointProblems;
  readonly added: RefObject<number | undefined>;
  readonly onChange: (endpoint: EndpointDraft) => void;
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The fields of an endpoint. */
function EndpointFields({ endpoint, problems, added, onChange }: EndpointFieldsProps) {
  const change = (part: Partial<EndpointDraft>) => onChange({ ...endpoint, ...part });
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="grid grid-cols-[6.75rem_minmax(0,1fr)] gap-3">
        <SelectField
          label="Method"
          error={problems.get('method')}
          options={methods.map((method) => [method, method] as const)}
          value={endpoint.method}
          onChange={(method) => change({ method })}
        />
        <TextField
          label="Path"
          required
          hint="Appended to the base URL; {id} is an argument."
          error={problems.get('path')}
          mono
          placeholder="/users/{id}"
          ref={(input) => focusOnce(input, endpoint.id, added)}
          value={endpoint.path}
          onChange={(path) => onChange(withPath(endpoint, path))}
        />
      </div>
      <TextField
        label="Tool name"
        required
        hint="For example get_user. Letters, digits, _ . and - are allowed."
        error={problems.get('name')}
        mono
        value={endpoint.name}
        onChange={(text) => change({ name: text })}
      />
      <TextAreaField
        label="Description"
        hint="Tells the model what the tool does."
        error={problems.get('description')}
        rows={2}
        value={endpoint.description}
        onChange={(description) => change({ description })}
      />
      <EndpointArguments
        endpoint={endpoint}
        problem={problems.get('input') ?? problems.get('query')}
        onChange={(args) => change({ args })}
      />
    </div>
  );
}
