// An Express service with an OpenAPI document, as many exist.
import { once } from 'node:events';
import express from 'express';

const orders = new Map([['7', { id: '7', item: 'anchor', status: 'open' }]]);

const order = {
  type: 'object',
  properties: { id: { type: 'string' }, item: { type: 'string' }, status: { type: 'string' } },
};
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const answer = { 200: { description: 'The order', content: { 'application/json': { schema: order } } } };

const document = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: {
    '/orders/{id}': {
      get: { operationId: 'getOrder', summary: 'Reads an order', parameters: [id], responses: answer },
    },
    '/orders/{id}/cancel': {
      post: { operationId: 'cancelOrder', summary: 'Cancels an order', parameters: [id], responses: answer },
    },
  },
};

export async function startService(port = 0) {
  const app = express();
  app.get('/openapi.json', (_request, response) => response.json(document));
  app.use('/orders/:id', (request, response, next) => {
    response.locals.order = orders.get(request.params.id);
    if (response.locals.order) next();
    else response.status(404).json({ error: `There is no order ${request.params.id}` });
  });
  app.get('/orders/:id', (_request, response) => response.json(response.locals.order));
  app.post('/orders/:id/cancel', (_request, response) => {
    response.locals.order.status = 'cancelled';
    response.json(response.locals.order);
  });
  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
