import type { RegistryServer } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { ExpandableText } from '../../components/ExpandableText.tsx';
import { SafeLink } from '../../components/SafeLink.tsx';
import { safeText } from '../../components/safe-text.ts';

/** The name, version, status, links and description of a registry server. */
export function RegistryFacts({ server }: { readonly server: RegistryServer }) {
  const { name, title, description, version, status, repository, website } = server;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
        {title ? <code>{safeText(name, 200)}</code> : null}
        {version !== '' && <span className="break-all">{safeText(version, 100)}</span>}
        {status === 'deprecated' && <Badge tone="warn">Deprecated</Badge>}
        {repository !== undefined && (
          <span>
            <SafeLink href={repository}>Repository</SafeLink>
          </span>
        )}
        {website !== undefined && (
          <span>
            <SafeLink href={website}>Website</SafeLink>
          </span>
        )}
      </div>
      {description !== '' && (
        <p className="text-ink-soft">
          <ExpandableText text={description} />
        </p>
      )}
    </>
  );
}
