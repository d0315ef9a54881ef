import type { Feature } from '../core/feature.ts';
import { a2a } from './a2a/feature.ts';
import { accounts } from './accounts/feature.ts';
import { apps } from './apps/feature.ts';
import { auditExport } from './audit-export/feature.ts';
import { budgets } from './budgets/feature.ts';
import { chat } from './chat/feature.ts';
import { elevation } from './elevation/feature.ts';
import { fleet } from './fleet/feature.ts';
import { flows } from './flows/feature.ts';
import { notifications } from './notifications/feature.ts';
import { ownRegistry } from './own-registry/feature.ts';
import { policy } from './policy/feature.ts';
import { redaction } from './redaction/feature.ts';
import { registry } from './registry/feature.ts';
import { sandbox } from './sandbox/feature.ts';
import { scripts } from './scripts/feature.ts';
import { search } from './search/feature.ts';
import { signIn } from './sign-in/feature.ts';
import { skills } from './skills/feature.ts';
import { tasks } from './tasks/feature.ts';
import { telemetry } from './telemetry/feature.ts';
import { toolReport } from './tool-report/feature.ts';
import { traffic } from './traffic/feature.ts';

/** The features of the gateway. To remove one, delete its folder and its line here. */
export const features: readonly Feature[] = [
  signIn,
  elevation,
  telemetry,
  auditExport,
  notifications,
  // Rules redact what redaction leaves.
  redaction,
  policy,
  budgets,
  flows,
  sandbox,
  search,
  toolReport,
  scripts,
  accounts,
  apps,
  skills,
  registry,
  ownRegistry,
  traffic,
  fleet,
  chat,
  tasks,
  a2a,
];
