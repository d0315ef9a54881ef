import type { PortsKey } from '../../core/feature-api.ts';
import type { Elevations } from './elevations.ts';

export const elevationPorts: PortsKey<Elevations> = { feature: 'elevation' };
