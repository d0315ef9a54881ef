import type { TrafficMessage } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { formatNumber } from '../../text/formats.ts';
import { matchesTraffic, type TrafficFilter, topics } from './traffic-filter.ts';

const topicTexts = {
  all: 'All',
  request: 'Requests',
  question: 'Server requests',
  log: 'Logs',
  progress: 'Progress',
  notification: 'Notifications',
  error: 'Errors',
};

export interface TrafficFiltersProps {
  readonly filter: TrafficFilter;
  readonly messages: readonly TrafficMessage[];
  readonly onChange: (filter: TrafficFilter) => void;
}

/** Selects messages by topic, direction, method and text. */
export function TrafficFilters({ filter, messages, onChange }: TrafficFiltersProps) {
  const change = (part: Partial<TrafficFilter>) => onChange({ ...filter, ...part });
  return (
    <search className="flex flex-col gap-3">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div role="group" aria-label="Topic" className="flex flex-wrap gap-1">
        {[undefined, ...topics].map((topic) => (
          <Button
            key={topic ?? 'all'}
            size="small"
            look={filter.topic === topic ? 'secondary' : 'quiet'}
            aria-pressed={filter.topic === topic}
            onClick={() => change({ topic })}
          >
            {topicTexts[topic ?? 'all']}
            <span className="text-ink-soft tabular-nums">
              {formatNumber(messages.filter((message) => matchesTraffic(message, { topic })).length)}
            </span>
          </Button>
        ))}
      </div>
      <div className="grid grid-cols-2 gap-3 text-xs sm:grid-cols-[10rem_minmax(0,1fr)_minmax(0,2fr)]">
        <SelectField
          label="Direction"
          options={[['', 'Both'], ...directions]}
          value={filter.direction ?? ''}
          onChange={(direction) => change({ direction: direction === '' ? undefined : direction })}
        />
        <TextField
          label="Method"
          type="search"
          placeholder="tools/call"
          value={filter.method ?? ''}
          onChange={(method) => change({ method: method.trim() || undefined })}
        />
        <TextField
          label="Text"
          type="search"
          className="max-sm:col-span-2"
          placeholder="A part of the message"
          value={filter.text ?? ''}
          onChange={(content) => change({ text: content || undefined })}
        />
      </div>
    </search>
  );
}

const directions = [
  ['sent', 'To the server'],
  ['received', 'From the server'],
] as const;
