import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import type { Approval, ApprovalAnswer } from '../../api/client.ts';
import { Button } from '../Button.tsx';
import { SchemaForm } from '../SchemaForm.tsx';
import { Spinner } from '../Spinner.tsx';

export interface EditArgumentsProps {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onBack: () => void;
}

const oneTool = (tool: string) =>
  queryOptions({ queryKey: ['tools', 'one', tool], queryFn: ({ signal }) => api.getTool({ path: { tool }, signal }) });

/** Allows the call once with edited arguments; the gateway validates them again. */
export function EditArguments({ approval, busy, onAnswer, onBack }: EditArgumentsProps) {
  const tool = useQuery({ ...oneTool(approval.tool), retry: false });
  const [value, setValue] = useState(approval.arguments);
  const [problem, setProblem] = useState<string>();
  if (tool.isPending) return <Spinner label="Loading the tool's schema …" />;
  return (
    <form
      aria-label="Edit the arguments"
      className="flex min-w-0 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined) onAnswer({ answer: 'allow', scope: 'once', arguments: value });
      }}
    >
      <SchemaForm
        schema={tool.data?.parameters ?? { type: 'object' }}
        value={value}
        onChange={setValue}
        onProblem={setProblem}
        disabled={busy}
      />
      <p className="text-xs text-ink-faint">Arguments are validated before the call runs.</p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy} disabled={problem !== undefined}>
          Allow with these arguments
        </Button>
        <Button disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
