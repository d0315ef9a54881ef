import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/fields.tsx';
import type { FormPartProps } from './form-problems.ts';
import { LineList } from './LineList.tsx';
import { newLine } from './server-draft.ts';
import { splitCommand } from './split-command.ts';

/** The command, arguments and environment of a local server. */
export function ProgramFields({ draft, problems, onChange }: FormPartProps) {
  const words = splitCommand(draft.command) ?? [];
  const [program = '', ...more] = words;
  return (
    <>
      <TextField
        label="Command"
        required
        hint="A program on the machine of the gateway, such as npx, uvx or a path. Put arguments below."
        error={problems.at('command')}
        mono
        placeholder="npx"
        value={draft.command}
        onChange={(text) => onChange({ command: text })}
      />
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
      <LineList
        title="Arguments"
        noun="argument"
        hint="One argument per line, without quotes."
        lines={draft.args}
        isNamed={false}
        problemAt={(_line, at) => problems.at(`args.${at}`)}
        onChange={(args) => onChange({ args })}
      />
      <LineList
        title="Environment variables"
        noun="variable"
        hint="The server gets these and a minimal environment. Values are stored encrypted."
        lines={draft.env}
        isNamed
        problemAt={({ name }) => problems.at(`env.${name}`)}
        onChange={(env) => onChange({ env })}
      />
    </>
  );
}
