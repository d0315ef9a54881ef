import { fileURLToPath } from 'node:url';

const isBuilt = import.meta.url.endsWith('.js');

/** Where the built app lies: beside the built gateway, also for one that runs from its sources. */
export const webDirectory = fileURLToPath(new URL(isBuilt ? '../../web' : '../../../dist/web', import.meta.url));
