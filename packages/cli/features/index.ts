import type { CommandFeature } from '../core/program/command-actions.ts';
import { accounts } from './accounts/feature.ts';
import { budgets } from './budgets/feature.ts';
import { chat } from './chat/feature.ts';
import { elevation } from './elevation/feature.ts';
import { fleet } from './fleet/feature.ts';
import { flows } from './flows/feature.ts';
import { policy } from './policy/feature.ts';
import { registry } from './registry/feature.ts';
import { sandbox } from './sandbox/feature.ts';
import { scripts } from './scripts/feature.ts';
import { skills } from './skills/feature.ts';
import { toolReport } from './tool-report/feature.ts';
import { traffic } from './traffic/feature.ts';

/** The commands of all features of the gateway. */
export const commandFeatures: readonly CommandFeature[] = [
  accounts,
  // Before the registry, which is listed above it.
  chat,
  elevation,
  fleet,
  flows,
  policy,
  // After the policy, whose command it extends.
  budgets,
  registry,
  sandbox,
  scripts,
  skills,
  toolReport,
  traffic,
];
