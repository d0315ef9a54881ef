import { route } from '../route.ts';
import { documentSchema } from '../schemas/settings.ts';

export const documentRoutes = [
  route({
    operationId: 'getOpenApiDocument',
    method: 'get',
    path: '/api/openapi.json',
    right: 'read',
    group: 'settings',
    summary: 'This description of the API, as OpenAPI 3.1.',
    answer: documentSchema,
    handle: async (_request, ports) => ports.document(),
  }),
];
