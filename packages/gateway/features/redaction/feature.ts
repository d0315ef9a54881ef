import { createRedactionPlugin } from '../../../toolwharf/features/redaction/redaction-plugin.ts';
import type { Feature } from '../../core/feature.ts';

/** Secrets and personal data in calls: detected, masked or blocked. */
export const redaction: Feature = {
  name: 'redaction',
  plugins: () => [createRedactionPlugin()],
};
