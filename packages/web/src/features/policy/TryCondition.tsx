import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Form, SelectField } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatTime } from '../../text/formats.ts';
import { ConditionField } from './ConditionField.tsx';
import { policyQueries } from './queries.ts';

type PolicyState = Awaited<ReturnType<typeof api.getPolicy>>;
type Trial = Awaited<ReturnType<typeof api.tryCondition>>;

export interface TryConditionProps {
  readonly condition: string;
  /** Shows a field for the condition; without it, the condition comes from elsewhere. */
  readonly onChange?: (condition: string) => void;
  readonly variables: PolicyState['variables'];
}

/** A form that evaluates a condition for one of the latest calls. */
export function TryCondition({ condition, onChange, variables }: TryConditionProps) {
  const calls = useQuery(policyQueries.recentCalls()).data ?? [];
  const [chosen, setChosen] = useState('');
  const call = chosen === '' ? (calls[0]?.id ?? '') : chosen;
  const trial = useMutation({ mutationFn: () => api.tryCondition({ body: { when: condition, call } }) });
  const title = onChange ? 'Try a condition' : 'Try';
  const problem = trial.data?.problem;
  const problemText = problem && `Line ${problem.line}, column ${problem.column}: ${problem.message}`;
  return (
    <Card aria-label={title}>
      <CardHeader title={title} hint="With a recorded call. Nothing is changed." />
      <Form className="flex flex-col gap-3 p-4" onSubmit={() => trial.mutate()}>
        {onChange && (
          <ConditionField
            value={condition}
            onChange={(text) => {
              trial.reset();
              onChange(text);
            }}
            error={problemText}
            variables={variables}
          />
        )}
        {!onChange && problemText !== undefined && (
          <p role="status" className="text-bad">
            {problemText}
          </p>
        )}
        <SelectField
          label="Call"
          value={call}
          onChange={(id) => {
            trial.reset();
            setChosen(id);
          }}
          options={calls.map(({ id, tool, createdAt }) => [id, `${safeText(tool, 100)}, ${formatTime(createdAt)}`])}
          disabled={calls.length === 0}
          hint={calls.length === 0 ? 'There are no calls yet.' : undefined}
        />
        <div>
          <Button type="submit" look="primary" disabled={condition.trim() === '' || call === '' || trial.isPending}>
            Try
          </Button>
        </div>
        {trial.isError && <ErrorNotice error={trial.error} />}
        {trial.data && !problem && <TrialResult trial={trial.data} />}
      </Form>
    </Card>
  );
}

function TrialResult({ trial: { applies, failure, values } }: { readonly trial: Trial }) {
  return (
    <div role="status" className="flex flex-col gap-1">
      <p className="font-medium">
        {failure === undefined
          ? applies
            ? 'The rule applies to this call.'
            : 'The rule does not apply to this call.'
          : `The condition has no value for this call: ${safeText(failure, 300)}`}
      </p>
      <ul className="font-mono text-xs">
        {values.map(({ name, value }) => (
          <li key={name} className="break-words">
            {safeText(name, 200)} = {safeText(value, 400)}
          </li>
        ))}
      </ul>
    </div>
  );
}
