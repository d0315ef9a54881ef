// Writes web/src/api/openapi.d.ts from the gateway's routes.
import { writeFile } from 'node:fs/promises';
import { allRoutes } from '../src/gateway/api/all-routes.ts';
import { toOpenApi } from '../src/gateway/api/openapi.ts';
import { generateApiTypes } from '../web/generate-api-types.ts';

await writeFile(new URL('../web/src/api/openapi.d.ts', import.meta.url), await generateApiTypes(toOpenApi(allRoutes)));
