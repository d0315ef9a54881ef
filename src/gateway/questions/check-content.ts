import { isObject, type JsonObject, type JsonSchema } from '../../kernel/json.ts';
import { createArgumentsChecker } from '../../policy/validate-arguments.ts';
import { requestError } from '../api/request-problems.ts';

const checker = createArgumentsChecker({ maxEntries: 200 });

/** What was filled into a server's form, if it fits; else one `REQUEST_INVALID` with all that is wrong. */
export function checkContent(form: unknown, content: JsonObject): JsonObject {
  if (!isObject(form)) return content;
  const check = checker.prepare(withoutDefaulted(form));
  // A form that can't be checked here is checked by the server that made it.
  const verdict = check.kind === 'ready' ? check.check(content) : { ok: true as const };
  if (verdict.ok) return content;
  throw requestError(
    verdict.problems.map(({ path, expected, got }) => ({
      path: `body.content${path.replaceAll('/', '.')}`,
      message: `expected ${expected}, got ${got}`,
    })),
  );
}

/** What has a default need not be filled in: it is filled in before the answer is sent. */
function withoutDefaulted(form: JsonSchema): JsonSchema {
  const { properties, required } = form;
  if (!isObject(properties) || !Array.isArray(required)) return form;
  const isDefaulted = (name: string) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(property) && property.default !== undefined;
  };
  return { ...form, required: required.filter((name) => !isDefaulted(String(name))) };
}
