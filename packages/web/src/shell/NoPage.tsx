import { ButtonLink } from '../components/Button.tsx';
import { EmptyState } from '../components/EmptyState.tsx';

interface NoPageProps {
  /** The feature whose page it is, where the gateway has switched it off. */
  readonly feature?: { readonly name: string; readonly title: string };
}

/** What an address shows that leads to no page, or to one of a feature that is switched off. */
export default function NoPage({ feature }: NoPageProps) {
  if (feature)
    return (
      <EmptyState title={`${feature.title}: switched off`}>
        This gateway runs without the feature <code>{feature.name}</code>. An administrator can switch it on under{' '}
        <code>features</code> in the configuration file.
      </EmptyState>
    );
  return (
    <EmptyState title="Page not found" actions={<ButtonLink href="/">Open the overview</ButtonLink>}>
      Check the URL, or open a page from the menu.
    </EmptyState>
  );
}
