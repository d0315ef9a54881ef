import { EmptyState } from '../components/EmptyState.tsx';
import type { Feature, Section } from './feature.ts';

/** A feature that the gateway has switched off: nothing leads to its pages and tabs, and they say so. */
export function switchOff({ name, title, pages = {}, settings = [], toolTabs = [] }: Feature): Feature {
  const Content = () => (
    <EmptyState title={`${title}: switched off`}>
      This gateway runs without the feature <code>{name}</code>. An administrator can switch it on under{' '}
      <code>features</code> in the configuration file.
    </EmptyState>
  );
  const close = (sections: readonly Section[]) =>
    sections.map(({ id, label, after }) => ({ id, label, after, Content, useIsListed: () => false }));
  return {
    ...{ name, title, settings: close(settings), toolTabs: close(toolTabs) },
    pages: Object.fromEntries(Object.keys(pages).map((path) => [path, Content])),
  };
}
