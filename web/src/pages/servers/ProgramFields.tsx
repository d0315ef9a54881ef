import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/fields.tsx';
import { text } from '../../text/text.ts';
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
        label={text.servers.programFields.command}
        required
        hint={text.servers.programFields.programMachineGatewaySuch}
        error={problems.at('command')}
        mono
        placeholder="npx"
        value={draft.command}
        onChange={(text) => onChange({ command: text })}
      />
      {more.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-2.5 py-1.5">
          <p className="min-w-0 flex-1">{text.servers.programFields.looksLikeCommandLine}</p>
          <Button
            size="small"
            onClick={() => {
              const args = [...more.map((word) => newLine('', word)), ...draft.args];
              onChange({ command: program, args });
            }}
          >
            {text.servers.programFields.splitIntoArguments}
          </Button>
        </div>
      )}
      <LineList
        title={text.common.arguments}
        noun={text.servers.nouns.argument}
        hint={text.servers.programFields.oneArgumentPerLine}
        lines={draft.args}
        isNamed={false}
        problemAt={(_line, at) => problems.at(`args.${at}`)}
        onChange={(args) => onChange({ args })}
      />
      <LineList
        title={text.servers.programFields.environmentVariables}
        noun={text.servers.nouns.variable}
        hint={text.servers.programFields.serverGetsTheseMinimal}
        lines={draft.env}
        isNamed
        problemAt={({ name }) => problems.at(`env.${name}`)}
        onChange={(env) => onChange({ env })}
      />
      <TextField
        label={text.servers.programFields.workingDirectory}
        hint={text.servers.programFields.leaveEmptyDirectoryGateway}
        error={problems.at('cwd')}
        mono
        value={draft.cwd}
        onChange={(text) => onChange({ cwd: text })}
      />
    </>
  );
}
