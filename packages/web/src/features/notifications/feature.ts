import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** The page behind the links of messages about approvals. */
export const notifications: Feature = {
  name: 'notifications',
  title: 'Notifications',
  pages: { '/answer/:link': lazy(() => import('./AnswerPage.tsx')) },
};
