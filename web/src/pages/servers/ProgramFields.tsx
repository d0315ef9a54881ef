import { Button } from '../../components/Button.tsx';
import { Field, Input } from '../../components/fields.tsx';
import { ArgumentLines } from './ArgumentLines.tsx';
import type { FormPartProps } from './form-problems.ts';
import { SecretLines } from './SecretLines.tsx';
import { newLine } from './server-draft.ts';
import { splitCommand } from './split-command.ts';

/** The command, arguments and environment of a local server. */
export function ProgramFields({ draft, problems, onChange }: FormPartProps) {
  const words = splitCommand(draft.command) ?? [];
  const [program = '', ...more] = words;
  return (
    <>
      <Field
        label="Command"
        required
        hint="A program on the machine of the gateway, such as npx, uvx or a path. Put arguments below."
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
          <p className="min-w-0 flex-1">This looks like a command line with arguments.</p>
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
        noun="variable"
        hint="The server gets these and a minimal environment. Values are stored encrypted."
        lines={draft.env}
        problemAt={(name) => problems.at(`env.${name}`)}
        onChange={(env) => onChange({ env })}
      />
      <Field label="Working directory" hint="Leave empty for the directory of the gateway." error={problems.at('cwd')}>
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
