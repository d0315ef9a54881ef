import { sessionSchema } from '../api/settings.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'session';

export const sessionRoutes = defineRoutes({
  getSession: {
    method: 'get',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Returns the authenticated caller and its rights.',
    answer: sessionSchema,
  },
  openSession: {
    recorded: true,
    method: 'post',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Opens a session of the web app for the admin token or an API key, and sets an HttpOnly cookie.',
    answer: sessionSchema,
    errors: ['UNAUTHORIZED'],
  },
  closeSession: {
    recorded: true,
    method: 'delete',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Ends the session of the web app and deletes its cookie.',
  },
});
