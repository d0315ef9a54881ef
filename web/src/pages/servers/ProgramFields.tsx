import { Button } from '../../components/Button.tsx';
import { Field, Input } from '../../components/fields.tsx';
import { ArgumentLines } from './ArgumentLines.tsx';
import type { FormPartProps } from './form-part.ts';
import { SecretLines } from './SecretLines.tsx';
import { newLine } from './server-draft.ts';
import { splitCommand } from './split-command.ts';

/** What a server is started by. */
export function ProgramFields({ draft, problems, onChange }: FormPartProps) {
  const words = splitCommand(draft.command) ?? [];
  const [program = '', ...more] = words;
  return (
    <>
      <Field
        label="Command"
        required
        hint="A program on the gateway's machine: npx, uvx, or a path. Its arguments go below."
        error={problems.at('command')}
      >
        {(props) => (
          <Input
            {...props}
            className="font-mono"
            placeholder="npx"
            spellCheck={false}
            autoComplete="off"
            value={draft.command}
            onChange={(event) => onChange({ command: event.target.value })}
          />
        )}
      </Field>
      {more.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-2.5 py-1.5">
          <p className="min-w-0 flex-1">This looks like a whole command line. A command with spaces in it is rare.</p>
          <Button
            size="small"
            onClick={() => {
              const args = [...more.map((word) => newLine('', word)), ...draft.args];
              onChange({ command: program, args });
            }}
          >
            Split into arguments
          </Button>
        </div>
      )}
      <ArgumentLines
        lines={draft.args}
        problemAt={(at) => problems.at(`args.${at}`)}
        onChange={(args) => onChange({ args })}
      />
      <SecretLines
        title="Environment variables"
        what="variable"
        hint="Its secrets go here. It gets these and the few that every program needs, not the gateway's own."
        lines={draft.env}
        problemAt={(name) => problems.at(`env.${name}`)}
        onChange={(env) => onChange({ env })}
      />
      <Field
        label="Working directory"
        hint="Where it is started; the gateway's own if empty."
        error={problems.at('cwd')}
      >
        {(props) => (
          <Input
            {...props}
            className="font-mono"
            spellCheck={false}
            autoComplete="off"
            value={draft.cwd}
            onChange={(event) => onChange({ cwd: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
