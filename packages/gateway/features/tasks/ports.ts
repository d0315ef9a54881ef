import type { PortsKey } from '../../core/feature-api.ts';
import type { SharedTasks } from './shared-tasks.ts';

export const taskPorts: PortsKey<SharedTasks> = { feature: 'tasks' };
