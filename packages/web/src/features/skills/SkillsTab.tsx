import { useQuery } from '@tanstack/react-query';
import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { api, type Skill } from '../../api/client.ts';
import { query, useMay } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { ReadResult } from '../../components/content/ResourceContents.tsx';
import { DefinitionDifference } from '../../components/DefinitionDifference.tsx';
import { DefinitionWarnings } from '../../components/DefinitionWarnings.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { SelectField } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';
import { ItemBrowser, NothingOffered, useBrowsed } from '../../pages/tools/ItemBrowser.tsx';
import { formatBytes } from '../../text/formats.ts';

const statesTexts = { quarantine: 'Blocked until accepted', ask: 'Needs approval' };

/** No server has an empty name. */
const local = '';

const skillsQuery = query(['content', 'skills'], async (signal) => (await api.listSkills({ signal })).skills);

/** The skills of all servers and of local folders. */
export default function SkillsTab() {
  const list = useQuery(skillsQuery);
  const servers = [...new Set(list.data?.map(({ server = local }) => server))];
  const { server, selected } = useBrowsed('skill', servers);
  if (!list.data) return <QueryState query={list} what="skills" />;
  if (list.data.length === 0) {
    return (
      <NothingOffered noun="skill" icon={BookOpen}>
        None of the connected servers has skills, and no folder of skills is configured.
      </NothingOffered>
    );
  }
  const own = list.data.filter((skill) => (skill.server ?? local) === server);
  const skill = own.find(({ uri }) => uri === selected);
  return (
    <ItemBrowser
      noun="skill"
      servers={servers}
      nameOf={(name) => (name === local ? 'Local folders' : name)}
      items={own.map(({ uri, path, description, changed }) => ({
        key: uri,
        title: path,
        detail: description,
        badge: changed && statesTexts[changed],
      }))}
    >
      {skill ? (
        <SkillDetails key={skill.definitionHash} skill={skill} />
      ) : (
        <p className="text-ink-soft">There is no such skill any more.</p>
      )}
    </ItemBrowser>
  );
}

function SkillDetails({ skill }: { readonly skill: Skill }) {
  const { server, name, description, files, changed, warnings } = skill;
  return (
    <>
      <header className="flex min-w-0 flex-col gap-1">
        <h2 className="flex flex-wrap items-center gap-2 text-base break-words">
          {safeText(name, 100)}
          {changed && <Badge tone="warn">{statesTexts[changed]}</Badge>}
        </h2>
        <p className="text-xs text-ink-soft">
          {server === undefined ? 'From a local folder' : `From the server ${safeText(server, 100)}`}
        </p>
        <p className="max-w-prose break-words whitespace-pre-wrap text-ink-soft">{safeText(description, 5_000)}</p>
      </header>
      {files === 'dynamic' && (
        <Notice title="The files of this skill are generated">
          The server may return another text in every read. The text cannot be verified or accepted, so each read needs
          approval.
        </Notice>
      )}
      <SkillChange skill={skill} />
      {warnings && <DefinitionWarnings warnings={warnings} />}
      <SkillFiles skill={skill} />
    </>
  );
}

/** The differences to the accepted version, which administrators can accept. */
function SkillChange({ skill }: { readonly skill: Skill }) {
  const { server, uri, definitionHash, changes } = skill;
  const mayEdit = useMay('tools.write');
  const accepting = useAction({
    run: () => api.acceptSkillChange({ body: { server: server ?? '', uri, definitionHash } }),
    refetch: ['content'],
    showsError: true,
  });
  if (!changes) return null;
  return (
    <section aria-label="Change" className="flex min-w-0 flex-col items-start gap-3">
      <p>This skill changed since it was accepted. Read its files before you accept the change.</p>
      <div className="w-full min-w-0">
        <DefinitionDifference changes={changes} />
      </div>
      {accepting.isError && <ErrorNotice title="Could not accept the change" error={accepting.error} />}
      {mayEdit && (
        <Button look="primary" busy={accepting.isPending} onClick={() => accepting.mutate()}>
          Accept change
        </Button>
      )}
    </section>
  );
}

function SkillFiles({ skill }: { readonly skill: Skill }) {
  const { server, uri, definitionHash, files } = skill;
  const [path, setPath] = useState('SKILL.md');
  const read = useQuery({
    queryKey: ['content', 'skill', server ?? local, uri, definitionHash, path],
    queryFn: ({ signal }) => api.readSkill({ query: { server, uri, path }, signal }),
    // Reading can be expensive for the server, and may ask a person.
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return (
    <section aria-label="Files" className="flex min-w-0 flex-col gap-3">
      {files !== 'dynamic' && files.length > 1 && (
        <SelectField
          label="File"
          options={files.map(({ path: own, size }) => [own, `${safeText(own, 200)} (${formatBytes(size)})`] as const)}
          value={path}
          onChange={setPath}
        />
      )}
      {read.isError && (
        <ErrorNotice title="Could not read the file" error={read.error} onRetry={() => void read.refetch()} />
      )}
      {read.isPending && <Spinner label="Reading …" />}
      {read.data && !read.isError && <ReadResult answer={{ contents: [{ ...read.data, uri: path }] }} />}
    </section>
  );
}
