import { type Command, Option } from 'commander';
import { approvalModes } from '../../config/config.ts';
import type { Run } from '../command.ts';
import { gather } from './gather.ts';

const json = ['--json', 'print JSON'] as const;

const chatExamples = `Examples:
  toolwharf chat
  toolwharf chat --model openai/gpt-5 --servers files,memory
  toolwharf chat --once "Which files are there?" --auto
  git diff | toolwharf chat --assistant Reviewer > review.md`;

const modelExamples = `The key is never an argument: it is asked for, or read from stdin or from a variable.
  toolwharf models add OpenAI --kind openai
  toolwharf models add OpenRouter --url https://openrouter.ai/api/v1 --key-env OPENROUTER_API_KEY
  toolwharf models add Ollama --url http://127.0.0.1:11434/v1 --no-key`;

/** The commands for conversations: `chat`, `assistants`, `models`. */
export function addChatCommands(root: Command, run: Run): void {
  root
    .command('chat')
    .description('talk with an assistant that uses the tools')
    .option('--assistant <name>', 'its name or id; the first one')
    .option('--model <provider/model>', 'the model that answers, instead of the one of the assistant')
    .option('--servers <names>', 'the servers whose tools it has, instead of its own; with commas between')
    .option('--conversation <id>', 'go on with this conversation')
    .option('--continue', 'go on with the latest conversation')
    .option('--auto', 'let tools run without asking')
    .option('--always-ask', 'ask before each tool')
    .option('--trusted-only', 'ask before each tool that the assistant does not trust')
    .option('--once <prompt>', 'say one thing, print the answer and end')
    .option('--json', 'print the answer as JSON; with --once, or a prompt on stdin')
    .addHelpText('after', `\n${chatExamples}`)
    .action(async (options) =>
      run(async (context) => (await import('../commands/chat/chat.ts')).chat(options, context)),
    );
  addAssistants(root, run);
  addModels(root, run);
}

function addAssistants(root: Command, run: Run): void {
  const load = () => import('../commands/assistants.ts');
  const list = async (options: object) => run(async (context) => (await load()).listAssistants(options, context));
  const assistants = root
    .command('assistants')
    .description('list the assistants one can talk with, and change them')
    .option(...json)
    .action(list);
  // An option before the subcommand counts for it too.
  const merged = <Options extends object>(options: Options): Options => ({ ...assistants.opts(), ...options });
  assistants
    .command('list')
    .description('list them')
    .option(...json)
    .action((options) => list(merged(options)));
  assistants
    .command('show')
    .description('show one with everything about it')
    .argument('<name>', 'its name or id')
    .option(...json)
    .action(async (name, options) =>
      run(async (context) => (await load()).showAssistant(name, merged(options), context)),
    );
  describing(assistants.command('add').description('make one')).action(async (name, options) =>
    run(async (context) => (await load()).addAssistant(name, merged(options), context)),
  );
  describing(assistants.command('edit').description('change one; the rest of it stays'))
    .option('--rename <name>', 'another name')
    .action(async (name, options) =>
      run(async (context) => (await load()).editAssistant(name, merged(options), context)),
    );
  assistants
    .command('remove')
    .description('forget one')
    .argument('<name>', 'its name or id')
    .action(async (name) => run(async (context) => (await load()).removeAssistant(name, context)));
}

/** The options that describe an assistant. */
function describing(command: Command): Command {
  return command
    .argument('<name>', 'its name')
    .option('--description <text>', 'what it is for')
    .option('--instructions <text>', 'what the model is told before anything else; @file reads them from a file')
    .option('--model <provider/model>', 'the model that answers; the demo')
    .option('--servers <names>', 'the servers whose tools it has, with commas between')
    .option(
      '--without-tool <glob>',
      'a tool of those servers that it does not have, as server/tool; repeatable',
      gather,
    )
    .addOption(new Option('--approval <mode>', 'when a person is asked; always-ask').choices(approvalModes))
    .option('--trusted-tool <glob>', 'a tool that trusted-only lets run unasked; repeatable', gather)
    .option('--max-steps <count>', 'how often the model may be asked for one answer; 20')
    .option('--max-tokens <count>', 'how many tokens one answer may cost; 0 for no limit')
    .option(...json);
}

function addModels(root: Command, run: Run): void {
  const load = () => import('../commands/models.ts');
  const models = root
    .command('models')
    .description('list the providers of models and what they have, and change them')
    .option(...json)
    .action(async (options) => run(async (context) => (await load()).listProviders(options, context)));
  const merged = <Options extends object>(options: Options): Options => ({ ...models.opts(), ...options });
  models
    .command('list')
    .description('list every model of one provider')
    .argument('<provider>', 'its name or id')
    .option(...json)
    .action(async (name, options) => run(async (context) => (await load()).listModels(name, merged(options), context)));
  models
    .command('add')
    .description('keep a provider, with its key sealed')
    .argument('<name>', 'what it is called')
    .addOption(
      new Option('--kind <kind>', 'how it speaks; openai-compatible with --url').choices([
        'openai',
        'anthropic',
        'google',
        'openai-compatible',
      ]),
    )
    .option('--url <url>', "its address, if it is not the provider's own")
    .option('--allow-insecure', 'allow plain http to another machine')
    .option('--key-env <variable>', 'take the key from this variable')
    .option('--no-key', 'it needs no key')
    .option(...json)
    .addHelpText('after', `\n${modelExamples}`)
    .action(async (name, options) =>
      run(async (context) => (await load()).addProvider(name, merged(options), context)),
    );
  models
    .command('remove')
    .description('forget a provider and its key')
    .argument('<provider>', 'its name or id')
    .action(async (name) => run(async (context) => (await load()).removeProvider(name, context)));
}
