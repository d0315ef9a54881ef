import { lazy } from 'react';
import type { Feature } from '../../shell/feature.ts';

/** Published servers of an MCP registry. */
export const registry: Feature = {
  name: 'registry',
  title: 'The registry',
  commands: [{ kind: 'Action', title: 'Browse the registry', href: '/servers?registry', needs: 'servers.write' }],
  slots: { findServers: lazy(() => import('./RegistryDialog.tsx')) },
};
