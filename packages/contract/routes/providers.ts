import { z } from 'zod';
import {
  modelListSchema,
  modelSettingsInputSchema,
  modelSettingsListSchema,
  modelSettingsViewSchema,
  newProviderInputSchema,
  newProviderSchema,
  providerInputSchema,
  providerListSchema,
  providerTestInputSchema,
  providerTestSchema,
  providerViewSchema,
} from '../api/models.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'models';
const params = z.object({ provider: z.string() });

export const providerRoutes = defineRoutes({
  listProviders: {
    method: 'get',
    path: '/api/providers',
    right: 'assistants.read',
    group,
    summary: 'Lists model providers: stored ones, those with a key in the environment, and the built-in demo.',
    answer: providerListSchema,
  },
  addProvider: {
    method: 'post',
    path: '/api/providers',
    right: 'providers.write',
    group,
    summary:
      'Stores a model provider, and creates an assistant with one of its models if asked to. The key is encrypted.',
    body: newProviderInputSchema,
    answer: newProviderSchema,
    status: 201,
  },
  testProvider: {
    method: 'post',
    path: '/api/providers/test',
    right: 'providers.write',
    group,
    summary: 'Tests a provider without storing it, and reports whether it responds, its latency and its models.',
    body: providerTestInputSchema,
    answer: providerTestSchema,
    errors: ['NOT_FOUND'],
  },
  updateProvider: {
    method: 'put',
    path: '/api/providers/{provider}',
    right: 'providers.write',
    group,
    summary: 'Replaces a stored provider. A masked key keeps its stored value.',
    params,
    body: providerInputSchema,
    answer: providerViewSchema,
    errors: ['NOT_FOUND'],
  },
  removeProvider: {
    method: 'delete',
    path: '/api/providers/{provider}',
    right: 'providers.write',
    group,
    summary: 'Deletes a stored provider and its key.',
    params,
    errors: ['NOT_FOUND'],
  },
  listModels: {
    method: 'get',
    path: '/api/providers/{provider}/models',
    right: 'providers.write',
    group,
    summary: 'Lists the models of a provider.',
    params,
    answer: modelListSchema,
    errors: ['CONFIG_INVALID', 'NOT_FOUND', 'SERVER_UNREACHABLE'],
  },
  listModelSettings: {
    method: 'get',
    path: '/api/model-settings',
    right: 'assistants.read',
    group,
    summary: 'Lists the prices and capabilities that are configured for models.',
    answer: modelSettingsListSchema,
  },
  putModelSettings: {
    method: 'put',
    path: '/api/model-settings',
    right: 'providers.write',
    group,
    summary: 'Replaces the prices and capabilities of a model. Without any, the settings of the model are deleted.',
    body: modelSettingsInputSchema,
    answer: modelSettingsViewSchema,
    errors: ['LIMIT_REACHED'],
  },
});
