import { z } from 'zod';
import {
  newProfileSchema,
  profileInputSchema,
  profileListSchema,
  profilePreviewInputSchema,
  profilePreviewSchema,
  profileSchema,
} from '../api/profiles.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'profiles';
const params = z.object({ profile: z.string() });

export const profileRoutes = defineRoutes({
  listProfiles: {
    method: 'get',
    path: '/api/profiles',
    right: 'tools.read',
    group,
    summary: 'Lists the profiles that the caller may use.',
    answer: profileListSchema,
  },
  createProfile: {
    method: 'post',
    path: '/api/profiles',
    right: 'profiles.write',
    group,
    summary: 'Stores a profile and serves it at its own URL.',
    body: newProfileSchema,
    answer: profileSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
  },
  previewProfile: {
    method: 'post',
    path: '/api/profiles/preview',
    right: 'profiles.write',
    group,
    recorded: false,
    summary: 'Returns the lists that clients of a profile with these settings would see. Nothing is stored.',
    body: profilePreviewInputSchema,
    answer: profilePreviewSchema,
    errors: ['CONFIG_INVALID'],
  },
  getProfile: {
    method: 'get',
    path: '/api/profiles/{profile}',
    right: 'tools.read',
    group,
    summary: 'Returns one profile.',
    params,
    answer: profileSchema,
    errors: ['NOT_FOUND'],
  },
  updateProfile: {
    method: 'put',
    path: '/api/profiles/{profile}',
    right: 'profiles.write',
    group,
    summary:
      'Replaces a stored profile, or the built-in profile `default`. Open sessions of its clients get the new lists.',
    params,
    body: profileInputSchema,
    answer: profileSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
  },
  removeProfile: {
    method: 'delete',
    path: '/api/profiles/{profile}',
    right: 'profiles.write',
    group,
    summary:
      'Deletes a stored profile and closes the sessions of its clients. Fails while keys use it. A deleted `default` is replaced by the built-in one.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
