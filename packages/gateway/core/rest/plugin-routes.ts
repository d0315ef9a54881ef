import * as z from 'zod';
import { pluginAnswerSchema, pluginBodySchema } from '../../../contract/api/plugins.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { issueText, type StandardSchema } from '../../../toolwharf/kernel/standard-schema.ts';
import type { ActiveRoute } from '../../../toolwharf/plugins/plugin-set.ts';
import { requestError } from './request-problems.ts';
import type { Route } from './route.ts';

/** The paths of all routes of plugins. */
export const pluginPaths = '/api/plugins/*';

/** A route of a plugin, under the plugin's name. */
export function toRoute({ plugin, route, handle }: ActiveRoute): Route {
  const { method, path, right = 'plugins.manage', summary = `A route of the plugin ${plugin}.`, query, body } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    operationId: `plugin:${plugin}:${method}:${path}`,
    ...{ method, path: `/api/plugins/${plugin}${path}`, right, group: 'Plugins', summary, answer: pluginAnswerSchema },
    ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
    ...(body && { body: pluginBodySchema }),
    // What a body means is known to the plugin only.
    recorded: 'params',
    async handle({ params, body: sent, identity, incoming }) {
      const search = Object.fromEntries(new URL(incoming.url ?? '/', 'http://localhost').searchParams);
      const answered = await handle({
        params: params ?? {},
        query: query ? await parse('query', query, search) : search,
        body: body && (await parse('body', body, sent)),
        caller: identity.caller,
      });
      if (answered !== undefined && !isObject(answered))
        throw new ToolwharfError('INTERNAL', `The plugin ${plugin} answered with something else than a JSON object`);
      return answered ?? {};
    },
  };
}

/** Finds the route of a request, with the parameters of its path. `allowed`: the methods of the path, if it has others only. */
export function findRoute(
  routes: readonly ActiveRoute[],
  method: string,
  path: string,
): {
  readonly found?: { readonly route: ActiveRoute; readonly params: Record<string, string> };
  readonly allowed: readonly string[];
} {
  const matching = routes.flatMap((route) => {
    const params = matchPath(`/api/plugins/${route.plugin}${route.route.path}`, path);
    return params ? [{ route, params }] : [];
  });
  const found = matching.find(({ route }) => route.route.method === method.toLowerCase());
  return { found, allowed: matching.map(({ route }) => route.route.method.toUpperCase()) };
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, parts] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== parts.length) return undefined;
  const params: [string, string][] = [];
  for (const [index, part] of wanted.entries()) {
    const given = parts[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== given) return undefined;
    } else if (given === '') return undefined;
    else params.push([part.slice(1, -1), decode(given)]);
  }
  return Object.fromEntries(params);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw requestError([{ path: 'path', message: 'is not valid percent-encoding' }]);
  }
}

async function parse(part: 'query' | 'body', schema: StandardSchema, value: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues) throw requestError(result.issues.map((issue) => ({ path: part, message: issueText(issue) })));
  return result.value;
}
