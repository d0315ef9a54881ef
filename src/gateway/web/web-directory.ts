import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../kernel/package-root.ts';

/** Where the built app lies, also for a gateway that runs from its sources. */
export const webDirectory = fileURLToPath(new URL('dist/web', packageRoot));
