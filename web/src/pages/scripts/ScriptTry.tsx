import { useQuery } from '@tanstack/react-query';
import type { Script, Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Notice } from '../../components/ErrorNotice.tsx';
import { FormSection } from '../../components/FormSection.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { TextLink } from '../../components/TextLink.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { text } from '../../text/text.ts';
import { ToolRunner } from '../tools/ToolRunner.tsx';
import { useArguments } from '../tools/use-arguments.ts';

const words = text.scripts;

/** Runs the saved script as the tool that it is. */
export function ScriptTry({ script, isChanged }: { readonly script: Script; readonly isChanged: boolean }) {
  const { tool: name } = script;
  const tool = useQuery({ ...queries.tool(name ?? ''), enabled: name !== undefined });
  return (
    <FormSection
      title={words.sections.try}
      hint={
        name === undefined
          ? words.notATool
          : words.sections.tryHint((label) => <TextLink href={toolAddress(name)}>{label}</TextLink>)
      }
    >
      {isChanged && <Notice>{words.saveFirst}</Notice>}
      {name !== undefined && <QueryState query={tool} what={words.what} />}
      {/* Another version may have other arguments. */}
      {tool.data && <Runner key={tool.data.definitionHash} tool={tool.data} />}
    </FormSection>
  );
}

function Runner({ tool }: { readonly tool: Tool }) {
  return <ToolRunner tool={tool} draft={useArguments(tool)} />;
}
