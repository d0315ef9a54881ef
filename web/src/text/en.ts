import type { Grammar } from './grammar.ts';

/** The English texts, by page. Other languages have the same shape; CONTRIBUTING.md says how to add one. */
export const en = ({ plural }: Grammar) => ({
  common: {
    cancel: 'Cancel',
    close: 'Close',
    justNow: 'just now',
    loading: 'Loading …',
    save: 'Save',
    calls: (count: number) => plural(count, { one: '# call', other: '# calls' }),
    tools: (count: number) => plural(count, { one: '# tool', other: '# tools' }),
    servers: (count: number) => plural(count, { one: '# server', other: '# servers' }),
  },
  app: {
    skipToContent: 'Skip to content',
    openMenu: 'Open the menu',
    closeMenu: 'Close the menu',
    search: 'Search',
    disconnected: 'The gateway does not respond. This page may be out of date; reconnecting automatically …',
    notFound: {
      title: 'Page not found',
      detail: 'Check the URL, or open a page from the menu.',
      action: 'Open the overview',
    },
  },
  navigation: {
    label: 'Pages',
    overview: 'Overview',
    chat: 'Chat',
    approvals: 'Approvals',
    servers: 'Servers',
    tools: 'Tools',
    calls: 'Calls',
    assistants: 'Assistants',
    settings: 'Settings',
    pending: 'pending',
    theme: { label: 'Colour scheme', system: 'System', light: 'Light', dark: 'Dark' },
  },
  overview: {
    title: 'Overview',
  },
  chat: {
    title: 'Chat',
  },
  approvals: {
    title: 'Approvals',
  },
  servers: {
    title: 'Servers',
  },
  tools: {
    title: 'Tools',
  },
  calls: {
    title: 'Calls',
  },
  assistants: {
    title: 'Assistants',
  },
  settings: {
    title: 'Settings',
  },
});

/** The texts of the app: the shape of every catalog. */
export type Text = ReturnType<typeof en>;
