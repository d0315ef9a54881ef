import { messageOf } from '../kernel/errors.ts';
import { isSecretName } from '../kernel/secret-names.ts';
import type { CheckContext } from './check-context.ts';
import { describeValue, type Path } from './problems.ts';
import { type Environment, parseReference, resolveReference } from './references.ts';
import { isInsecureUrl, urlProblem } from './server-url.ts';

export interface UrlToCheck {
  readonly server: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly allowInsecure: boolean;
}

/** Resolves the reference in a server URL. Reports an invalid URL and warns about a risky one. */
export function checkUrl(
  { server, url: written, enabled, allowInsecure }: UrlToCheck,
  path: Path,
  context: CheckContext,
) {
  const { url, problem } = resolveUrl(written, context.env);
  if (problem) {
    // The message omits the resolved value of a reference, because the value may be an unrelated secret.
    const found = parseReference(written) ? undefined : describeValue(url, path);
    context.report({ path, message: problem, found });
    return url;
  }
  if (isInsecureUrl(url) && !allowInsecure) {
    const message = 'plain http to another machine: use https, or set allowInsecure: true';
    if (context.defaults.insecureUrl === 'error' && enabled) context.report({ path, message });
    else {
      const key = context.dialect === 'client' || context.dialect === 'native' ? 'allowInsecure' : 'allow_insecure';
      const advice = `use https, or allow it with the line '${key}: true' in ${context.pathInFile(path.slice(0, -1))}`;
      context.warn(`Server '${server}' will not be connected, its url is plain http to another machine: ${advice}`);
    }
  }
  const secret = [...new URL(url).searchParams.keys()].find(isSecretName);
  if (secret) {
    const place = `The url of server '${server}' carries '${secret}' in its query, where logs may keep it`;
    context.warn(`${place}: prefer 'authentication' or 'headers'`);
  }
  return url;
}

/** Resolves a URL that may be a reference, and validates the result. */
export function resolveUrl(value: string, env: Environment): { readonly url: string; readonly problem?: string } {
  let missing: string | undefined;
  try {
    const url = resolveReference(value, env, (variable) => {
      missing = variable;
    });
    const problem = missing ? `the environment variable ${missing} is not set` : urlProblem(url);
    return problem ? { url, problem } : { url };
  } catch (cause) {
    return { url: value, problem: messageOf(cause) };
  }
}
