import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { relatedTask, tasksExtension } from './follow-task.ts';

/** The params of a request of the modern era, which declare that its server may answer with a task. */
export function declareTasks(method: string, params: JsonObject): JsonObject {
  if (method !== 'tools/call' && !method.startsWith('tasks/')) return params;
  const meta = isObject(params._meta) ? params._meta : {};
  const given = meta[CLIENT_CAPABILITIES_META_KEY];
  const capabilities = isObject(given) ? given : {};
  const extensions = { ...(isObject(capabilities.extensions) && capabilities.extensions), [tasksExtension]: {} };
  return { ...params, _meta: { ...meta, [CLIENT_CAPABILITIES_META_KEY]: { ...capabilities, extensions } } };
}

/** The task that a question of a legacy server names. */
export function relatedTaskOf({ params }: JsonObject): string | undefined {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const related = meta[relatedTask];
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}

/** One request for each task that they are about. */
export function oneOfEachTask<Request extends { readonly taskId?: string }>(requests: readonly Request[]): Request[] {
  return [...new Map(requests.map((request) => [request.taskId, request])).values()];
}
