import type { Command } from 'commander';
import { approvalModes, exposures } from '../../../contract/settings/choices.ts';
import type { Run } from '../../core/command-context.ts';
import {
  addList,
  type CommandFeature,
  type CommandParts,
  choice,
  commandsOf,
  groups,
  json,
  repeatable,
} from '../../core/program/command-actions.ts';

const chatExamples = `Examples:
  toolwharf chat
  toolwharf chat --model openai/gpt-5 --servers files,memory
  toolwharf chat --once "Which files are there?" --auto
  git diff | toolwharf chat --assistant Reviewer > review.md`;

const modelExamples = `The API key is never an argument: it is prompted for, or read from stdin or from
an environment variable.

Examples:
  toolwharf models add OpenAI --kind openai
  toolwharf models add OpenRouter --url https://openrouter.ai/api/v1 --key-env OPENROUTER_API_KEY
  toolwharf models add Ollama --url http://127.0.0.1:11434/v1 --no-key`;

/** `chat`, `assistants` and `models`. */
export const chat: CommandFeature = {
  name: 'chat',
  group: groups.chat,
  after: 'servers',
  add(root, run) {
    const add = commandsOf(run, () => import('./chat.ts'));
    const exposeText = "How the model is shown the tools instead of the assistant's";
    add(root, 'chat', 'Chat with an assistant that uses the tools', 'chat', {
      options: [
        ['--assistant <name>', 'Name or id of the assistant (default: the first one)'],
        ['--model <provider/model>', "Model to use instead of the assistant's"],
        ['--servers <names>', "Comma-separated servers to use instead of the assistant's"],
        ['--conversation <id>', 'Continue this conversation'],
        ['--continue', 'Continue the latest conversation'],
        ['--auto', 'Run tools without asking for approval'],
        ['--always-ask', 'Ask for approval of every call'],
        ['--trusted-only', 'Ask for approval of calls to tools that the assistant does not trust'],
        choice('--expose <mode>', exposeText, exposures),
        ['--once <prompt>', 'Send one prompt, print the answer and exit'],
        ['--wait', 'Without a terminal, wait until approvals are answered elsewhere (needs a running gateway)'],
        repeatable('--attach <file>', 'Image or text file to send with the first message (repeatable)'),
        ['--json', 'Print the answer as JSON (with --once or a prompt on stdin)'],
      ],
      help: chatExamples,
    });
    addAssistants(root, run);
    addModels(root, run);
  },
};

function addAssistants(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('./assistants.ts'));
  const about = { description: 'List, add, edit and remove assistants', list: 'List assistants' };
  const assistants = addList(add, root, 'assistants', about, 'listAssistants');
  const byName: CommandParts = { args: [['<name>', 'Name or id']], options: [json] };
  add(assistants, 'show', "Show an assistant's settings", 'showAssistant', byName);
  add(assistants, 'add', 'Add an assistant', 'addAssistant', assistantSettings());
  const rename = ['--rename <name>', 'New name'] as const;
  add(assistants, 'edit', 'Change the given settings of an assistant', 'editAssistant', assistantSettings(rename));
  add(assistants, 'remove', 'Remove an assistant; its conversations are kept', 'removeAssistant', byName);
}

function assistantSettings(...more: readonly (readonly [string, string])[]): CommandParts {
  return {
    args: [['<name>', 'Name of the assistant']],
    options: [
      ['--description <text>', 'Description'],
      ['--instructions <text>', 'System prompt; @file reads it from a file'],
      ['--model <provider/model>', 'Model that answers (default: the demo)'],
      ['--servers <names>', 'Comma-separated servers whose tools it can use'],
      repeatable('--without-tool <glob>', 'Tool it cannot use, as server/tool (repeatable)'),
      choice('--expose <mode>', 'How the model is shown the tools (default: all)', exposures),
      choice('--approval <mode>', 'When to ask for approval (default: always-ask)', approvalModes),
      repeatable('--trusted-tool <glob>', 'Tool that runs without approval in mode trusted-only (repeatable)'),
      ['--max-steps <count>', 'Maximum model requests per answer (default: 20)'],
      ['--max-tokens <count>', 'Maximum tokens per answer, 0 for no limit (default: 0)'],
      json,
      ...more,
    ],
  };
}

function addModels(root: Command, run: Run): void {
  const add = commandsOf(run, () => import('./models.ts'));
  const models = add(root, 'models', 'List, add and remove model providers', 'listProviders', { options: [json] });
  const byName: CommandParts = { args: [['<provider>', 'Name or id']], options: [json] };
  add(models, 'list', 'List all models of a provider', 'listModels', byName);
  const kindText = 'API of the provider (default with --url: openai-compatible)';
  add(models, 'add', 'Add a provider; its API key is stored encrypted', 'addProvider', {
    args: [['<name>', 'Name of the provider']],
    options: [
      choice('--kind <kind>', kindText, ['openai', 'anthropic', 'google', 'openai-compatible']),
      ['--url <url>', "Base URL, if it is not the provider's own"],
      ['--key-env <variable>', 'Environment variable that holds the API key'],
      ['--no-key', 'The provider needs no API key'],
      json,
    ],
    settings: 'provider',
    help: modelExamples,
  });
  add(models, 'remove', 'Remove a provider and its API key', 'removeProvider', byName);
}
