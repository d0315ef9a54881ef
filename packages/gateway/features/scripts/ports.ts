import type { PortsKey } from '../../core/feature-api.ts';
import type { StoredScripts } from './stored-scripts.ts';

export const scriptPorts: PortsKey<StoredScripts> = { feature: 'scripts' };
