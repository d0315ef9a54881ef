import type { Feature } from '../shell/feature.ts';
import { accounts } from './accounts/feature.ts';
import { apps } from './apps/feature.ts';
import { budgets } from './budgets/feature.ts';
import { chat } from './chat/feature.ts';
import { elevation } from './elevation/feature.ts';
import { fleet } from './fleet/feature.ts';
import { notifications } from './notifications/feature.ts';
import { policy } from './policy/feature.ts';
import { registry } from './registry/feature.ts';
import { sandbox } from './sandbox/feature.ts';
import { scripts } from './scripts/feature.ts';
import { signIn } from './sign-in/feature.ts';
import { skills } from './skills/feature.ts';
import { toolReport } from './tool-report/feature.ts';
import { traffic } from './traffic/feature.ts';

/** The features of the app. To remove one, delete its folder and its line here. */
export const features: readonly Feature[] = [
  signIn,
  elevation,
  chat,
  scripts,
  accounts,
  apps,
  skills,
  notifications,
  toolReport,
  policy,
  budgets,
  registry,
  sandbox,
  traffic,
  fleet,
];
