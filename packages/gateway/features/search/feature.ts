import type { Feature } from '../../core/feature.ts';
import { openGatewayEmbeddings } from './open-gateway-embeddings.ts';

/** The search for tools by meaning. */
export const search: Feature = {
  name: 'search',
  start: ({ config, log, storage, stopping }) => ({
    core: { embed: openGatewayEmbeddings(config().gateway.embeddings, { log, storage, signal: stopping }) },
  }),
};
