import { useQuery } from '@tanstack/react-query';
import { Bot, MessagesSquare } from 'lucide-react';
import { lazy, useMemo } from 'react';
import type { Feature } from '../../shell/feature.ts';
import { chatQueries } from './queries.ts';

/** Assistants, their models, and conversations with them. */
export const chat: Feature = {
  name: 'chat',
  title: 'Chat',
  pages: {
    '/chat/:conversation?': lazy(() => import('./ChatPage.tsx')),
    '/assistants/:assistant?': lazy(() => import('./assistants/AssistantsPage.tsx')),
  },
  navigation: [
    { href: '/chat', label: 'Chat', Icon: MessagesSquare, after: '/' },
    { href: '/assistants', label: 'Assistants', Icon: Bot, after: '/profiles' },
  ],
  commands: [
    { kind: 'Page', title: 'Chat', href: '/chat' },
    { kind: 'Page', title: 'Assistants', href: '/assistants' },
    { kind: 'Page', title: 'Settings: models', href: '/settings/models' },
    { kind: 'Action', title: 'Create an assistant', href: '/assistants/new', needs: 'assistants.write' },
  ],
  useCommands() {
    const assistants = useQuery(chatQueries.assistants()).data;
    const conversations = useQuery(chatQueries.conversations()).data;
    return useMemo(
      () => [
        ...(assistants ?? []).map(({ id, name }) => ({ kind: 'Assistant', title: name, href: `/assistants/${id}` })),
        ...(conversations ?? []).map(({ id, title }) => ({ kind: 'Conversation', title, href: `/chat/${id}` })),
      ],
      [assistants, conversations],
    );
  },
  settings: [{ id: 'models', label: 'Models', Content: lazy(() => import('./models/ModelsSection.tsx')) }],
  invalidations: {
    'conversation.changed': ['conversations'],
    'conversation.removed': ['conversations'],
    'assistants.changed': ['assistants', 'previews'],
    'models.changed': ['providers', 'model-settings', 'assistants'],
  },
  slots: { firstStep: lazy(() => import('./DemoStep.tsx')) },
};
