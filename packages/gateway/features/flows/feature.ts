import { createFlowsPlugin } from '../../../toolwharf/features/flows/flows-plugin.ts';
import type { Feature } from '../../core/feature.ts';

/** Labels that follow data through conversations, and where labelled data must not go. */
export const flows: Feature = {
  name: 'flows',
  plugins: () => [createFlowsPlugin()],
};
