import { type Command, Option } from 'commander';
import { approvalModes, exposures } from '../../config/choices.ts';
import type { Run } from '../command-context.ts';
import { addListCommand, collect, createActions, jsonOption } from './command-actions.ts';

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

const exposeOption = (about: string) => new Option('--expose <mode>', about).choices(exposures);

/** Adds `chat`, `assistants` and `models`. */
export function addChatCommands(root: Command, run: Run): void {
  const chat = createActions(run, () => import('../commands/chat/chat.ts'));
  root
    .command('chat')
    .description('Chat with an assistant that uses the tools')
    .option('--assistant <name>', 'Name or id of the assistant (default: the first one)')
    .option('--model <provider/model>', "Model to use instead of the assistant's")
    .option('--servers <names>', "Comma-separated servers to use instead of the assistant's")
    .option('--conversation <id>', 'Continue this conversation')
    .option('--continue', 'Continue the latest conversation')
    .option('--auto', 'Run tools without asking for approval')
    .option('--always-ask', 'Ask for approval of every call')
    .option('--trusted-only', 'Ask for approval of calls to tools that the assistant does not trust')
    .addOption(exposeOption("How the model is shown the tools instead of the assistant's"))
    .option('--once <prompt>', 'Send one prompt, print the answer and exit')
    .option('--attach <file>', 'Image or text file to send with the first message (repeatable)', collect)
    .option('--json', 'Print the answer as JSON (with --once or a prompt on stdin)')
    .addHelpText('after', `\n${chatExamples}`)
    .action(chat((module) => module.chat));
  addAssistants(root, run);
  addModels(root, run);
}

function addAssistants(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/assistants.ts'));
  const about = { description: 'List, add, edit and remove assistants', list: 'List assistants' };
  const assistants = addListCommand(
    root,
    'assistants',
    about,
    action((module) => module.listAssistants),
  );
  assistants
    .command('show')
    .description("Show an assistant's settings")
    .argument('<name>', 'Name or id')
    .option(...jsonOption)
    .action(action((module) => module.showAssistant));
  addAssistantOptions(assistants.command('add').description('Add an assistant')).action(
    action((module) => module.addAssistant),
  );
  addAssistantOptions(assistants.command('edit').description('Change the given settings of an assistant'))
    .option('--rename <name>', 'New name')
    .action(action((module) => module.editAssistant));
  assistants
    .command('remove')
    .description('Remove an assistant; its conversations are kept')
    .argument('<name>', 'Name or id')
    .option(...jsonOption)
    .action(action((module) => module.removeAssistant));
}

function addAssistantOptions(command: Command): Command {
  const approval = new Option('--approval <mode>', 'When to ask for approval (default: always-ask)');
  return command
    .argument('<name>', 'Name of the assistant')
    .option('--description <text>', 'Description')
    .option('--instructions <text>', 'System prompt; @file reads it from a file')
    .option('--model <provider/model>', 'Model that answers (default: the demo)')
    .option('--servers <names>', 'Comma-separated servers whose tools it can use')
    .option('--without-tool <glob>', 'Tool it cannot use, as server/tool (repeatable)', collect)
    .addOption(exposeOption('How the model is shown the tools (default: all)'))
    .addOption(approval.choices(approvalModes))
    .option('--trusted-tool <glob>', 'Tool that runs without approval in mode trusted-only (repeatable)', collect)
    .option('--max-steps <count>', 'Maximum model requests per answer (default: 20)')
    .option('--max-tokens <count>', 'Maximum tokens per answer, 0 for no limit (default: 0)')
    .option(...jsonOption);
}

function addModels(root: Command, run: Run): void {
  const action = createActions(run, () => import('../commands/models.ts'));
  const models = root
    .command('models')
    .description('List, add and remove model providers')
    .option(...jsonOption)
    .action(action((module) => module.listProviders));
  models
    .command('list')
    .description('List all models of a provider')
    .argument('<provider>', 'Name or id')
    .option(...jsonOption)
    .action(action((module) => module.listModels));
  models
    .command('add')
    .description('Add a provider; its API key is stored encrypted')
    .argument('<name>', 'Name of the provider')
    .addOption(
      new Option('--kind <kind>', 'API of the provider (default with --url: openai-compatible)').choices([
        'openai',
        'anthropic',
        'google',
        'openai-compatible',
      ]),
    )
    .option('--url <url>', "Base URL, if it is not the provider's own")
    .option('--allow-insecure', 'Allow unencrypted HTTP to another machine')
    .option('--key-env <variable>', 'Environment variable that holds the API key')
    .option('--no-key', 'The provider needs no API key')
    .option(...jsonOption)
    .addHelpText('after', `\n${modelExamples}`)
    .action(action((module) => module.addProvider));
  models
    .command('remove')
    .description('Remove a provider and its API key')
    .argument('<provider>', 'Name or id')
    .option(...jsonOption)
    .action(action((module) => module.removeProvider));
}
