import { type KeyReader, renameTo, type Warn } from './product.ts';

/** Readers for lists that restrict the tools, resources and prompts of a server. */
export function offeredItemReaders(label: string, warn: Warn): [string, KeyReader][] {
  const notRestricted = (key: string, what: string, advice: string): [string, KeyReader] => [
    key,
    (value) => {
      if (Array.isArray(value) && value.length === 0) return;
      warn(`${label}: '${key}' is not imported, so all ${what} of the server are offered: ${advice}`);
    },
  ];
  const resources = "list the URIs to offer under 'resources' of a profile";
  const prompts = "list the prompts to offer under 'prompts' of the server";
  return [
    ['disabled_tools', renameTo('disabledTools')],
    ['enabledTools', renameTo('allow')],
    ['enabledPrompts', renameTo('prompts')],
    notRestricted('disabledResources', 'resources', resources),
    notRestricted('enabledResources', 'resources', resources),
    notRestricted('disabled_resources', 'resources', resources),
    notRestricted('disabled_resourceTemplates', 'resource templates', resources),
    notRestricted('disabledPrompts', 'prompts', prompts),
    notRestricted('disabled_prompts', 'prompts', prompts),
  ];
}
