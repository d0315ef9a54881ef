// The features that the official conformance suite expects of a server, for both eras. Each era implements questions to
// the person itself: `call.ask({ key: { method, params } })` returns the answers by key.
import { setTimeout as wait } from 'node:timers/promises';
import { RpcError, text } from '../fixtures/servers/shared/peer.mjs';
import { tableOf, tool } from '../fixtures/servers/shared/tools.mjs';

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const string = { type: 'string' };

const image = { type: 'image', data: onePixel, mimeType: 'image/png' };
const embedded = (uri, mimeType, content) => ({ type: 'resource', resource: { uri, mimeType, text: content } });
const formOf = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });

const elicit = (message, requestedSchema) => ({ method: 'elicitation/create', params: { message, requestedSchema } });
const sample = (prompt, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };
const askName = elicit('What is your name?', formOf({ name: string }));

export const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** `more` are the tools of one era. */
export function createContent(more = []) {
  const tools = tableOf([...plainTools(), ...talkingTools(), ...askingTools(), ...changingTools(), ...more]);
  const prompts = new Map(promptList.map((prompt) => [prompt.name, prompt]));

  function changingTools() {
    return [
      tool('test_trigger_tool_change', 'Adds or removes a tool and says so', {}, (_args, call) => {
        toggle(
          tools,
          tool('test_came_and_went', 'Comes and goes', {}, () => text('here')),
        );
        call.toolsChanged();
        return text('The tools changed');
      }),
      tool('test_trigger_prompt_change', 'Adds or removes a prompt and says so', {}, (_args, call) => {
        toggle(prompts, prompt('test_came_and_went', 'Comes and goes', [], says('here')));
        call.promptsChanged();
        return text('The prompts changed');
      }),
    ];
  }

  return {
    tools,
    /** The handlers of all methods except tools. */
    handlers: {
      'prompts/list': () => ({ prompts: [...prompts.values()].map(({ run: _run, ...definition }) => definition) }),
      'prompts/get': async ({ name, arguments: args = {} }, call) => {
        const found = prompts.get(name);
        if (!found) throw new RpcError(-32602, `Unknown prompt: ${name}`);
        return { messages: await found.run(args, call) };
      },
      'resources/list': () => ({ resources }),
      'resources/templates/list': () => ({ resourceTemplates }),
      'completion/complete': ({ argument }) => {
        const values = ['testing', 'tested', 'paris'].filter((value) => value.startsWith(argument.value));
        return { completion: { values, total: values.length, hasMore: false } };
      },
    },
  };
}

/** The contents of a URI, or undefined if there are none. */
export function readResource(uri) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: onePixel };
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  }
  if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'Watched' };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

/** Whether a request comes from this machine, and not from a page of another site (DNS rebinding). */
export function isFromHere({ host = '', origin = `http://${host}` }) {
  const names = new Set(['localhost', '127.0.0.1', '[::1]']);
  return [`http://${host}`, origin].every((url) => URL.canParse(url) && names.has(new URL(url).hostname));
}

function toggle(table, entry) {
  if (!table.delete(entry.name)) table.set(entry.name, entry);
}

const resources = [
  { uri: 'test://static-text', name: 'static-text', description: 'A text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'A picture', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched-resource', description: 'Changes', mimeType: 'text/plain' },
];
const resourceTemplates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data by its id',
    mimeType: 'application/json',
  },
];

/** Tools that only return a result. */
function plainTools() {
  const region = { ...string, 'x-mcp-header': 'Region' };
  return [
    tool('test_simple_text', 'A text', {}, () => text('This is a simple text response for testing.')),
    tool('test_image_content', 'A picture', {}, () => ({ content: [image] })),
    tool('test_audio_content', 'A sound', {}, () => ({
      content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
    })),
    tool('test_embedded_resource', 'A resource', {}, () => ({
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    })),
    tool('test_multiple_content_types', 'A text, a picture and a resource', {}, () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
      ],
    })),
    tool('test_error_handling', 'Fails', {}, () =>
      text('This tool intentionally returns an error for testing', { isError: true }),
    ),
    tool('test_custom_header', 'An argument that is repeated in a header', { region }, (args) => text(args.region)),
    {
      ...tool('json_schema_2020_12_tool', 'Tool with JSON Schema 2020-12 features', {}, () => text('done')),
      inputSchema: contactSchema,
    },
  ];
}

const contactSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: '#/$defs/address' },
    contactMethod: { ...string, enum: ['phone', 'email'] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Tools that send messages before their result. */
function talkingTools() {
  const inThreeSteps = async (say) => {
    for (const [step, message] of ['started', 'processing data', 'completed'].entries()) {
      if (step > 0) await wait(50);
      say(step, message);
    }
  };
  const withLogging = async (_args, call) => {
    await inThreeSteps((_step, message) => call.log('info', `Tool execution ${message}`));
    return text('Logged three times');
  };
  return [
    tool('test_tool_with_logging', 'Logs', {}, withLogging),
    tool('test_logging_tool', 'Logs', {}, withLogging),
    tool('test_tool_with_progress', 'Reports progress', {}, async (_args, call) => {
      await inThreeSteps((step) => call.progress(50 * step, 100));
      return text('Went to a hundred');
    }),
    tool('test_reconnection', 'Takes a moment', {}, async () => {
      await wait(100);
      return text('Reconnected');
    }),
  ];
}

/** Tools that need an answer of the client. */
function askingTools() {
  const asks = (name, description, questions, properties = {}) =>
    tool(name, description, properties, async (args, call) => {
      const asked = typeof questions === 'function' ? questions(args) : questions;
      return text(JSON.stringify(await call.ask(asked)));
    });
  const confirm = { confirm: elicit('Please confirm', formOf({ ok: { type: 'boolean' } })) };
  const identity = formOf({ username: string, email: string });
  return [
    asks('test_sampling', 'Asks the model', ({ prompt }) => ({ answer: sample(prompt) }), { prompt: string }),
    asks('test_elicitation', 'Asks the user', ({ message }) => ({ answer: elicit(message, identity) }), {
      message: string,
    }),
    asks('test_elicitation_sep1034_defaults', 'Asks with defaults', { answer: elicit('Defaults', formOf(defaults)) }),
    asks('test_elicitation_sep1330_enums', 'Asks with choices', { answer: elicit('Choices', formOf(choices, [])) }),
    asks('test_missing_capability', 'Needs a model', { answer: sample('Anything') }),
    asks('test_input_required_result_sampling', 'Asks the model', {
      capital_question: sample('What is the capital of France?'),
    }),
    asks('test_input_required_result_list_roots', 'Asks for the roots', { client_roots: roots }),
    asks('test_input_required_result_multiple_inputs', 'Asks three things at once', {
      user_name: askName,
      greeting: sample('Generate a greeting', 50),
      client_roots: roots,
    }),
    asks('test_input_required_result_tampered_state', 'Asks, and minds its state', confirm),
    tool('test_input_required_result_request_state', 'Asks, and minds its state', {}, async (_args, call) => {
      await call.ask(confirm);
      return text('state-ok');
    }),
    tool('test_input_required_result_elicitation', 'Asks for a name', {}, async (_args, call) => {
      const { user_name: answer } = await call.ask({ user_name: askName });
      return text(`Hello, ${answer.content?.name}!`);
    }),
    tool('test_streaming_elicitation', 'Reports progress, then asks', {}, async (_args, call) => {
      call.progress(1, 2);
      const { user_name: answer } = await call.ask({ user_name: askName });
      return text(`Hello, ${answer.content?.name}!`);
    }),
    tool('test_input_required_result_multi_round', 'Asks twice, one after the other', {}, async (_args, call) => {
      const { step1 } = await call.ask({ step1: elicit('Step 1: What is your name?', formOf({ name: string })) });
      const colour = elicit('Step 2: What is your favorite color?', formOf({ color: string }));
      const { step2 } = await call.ask({ step2: colour });
      return text(`${step1.content?.name} likes ${step2.content?.color}`);
    }),
    tool('test_input_required_result_capabilities', 'Asks whoever can be asked', {}, askWhoeverCan),
  ];
}

async function askWhoeverCan(_args, call) {
  for (const question of [askName, sample('What is my name?'), roots]) {
    try {
      return text(JSON.stringify(await call.ask({ [question.method]: question })));
    } catch (cause) {
      if (cause.code !== -32021) throw cause;
    }
  }
  return text('Nobody can be asked', { isError: true });
}

export const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = (word) =>
  ['First', 'Second', 'Third'].map((nth, at) => ({ const: `value${at + 1}`, title: nth + word }));
export const choices = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled(' Option') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled(' Choice') } },
};

function prompt(name, description, args, run) {
  return { name, description, arguments: args.map((arg) => ({ name: arg, description: arg, required: true })), run };
}

function says(...blocks) {
  return () => messages(blocks);
}

function messages(blocks) {
  const toContent = (block) => (typeof block === 'string' ? { type: 'text', text: block } : block);
  return blocks.map((block) => ({ role: 'user', content: toContent(block) }));
}

const promptList = [
  prompt('test_simple_prompt', 'A text', [], says('This is a simple prompt for testing.')),
  prompt('test_prompt_with_image', 'A picture', [], says(image, 'Please analyze the image above.')),
  prompt('test_prompt_with_arguments', 'Two arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) =>
    messages([`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`]),
  ),
  prompt('test_prompt_with_embedded_resource', 'A resource', ['resourceUri'], ({ resourceUri }) =>
    messages([
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      'Please process the embedded resource above.',
    ]),
  ),
  prompt('test_input_required_result_prompt', 'Asks first', [], async (_args, call) => {
    const context = elicit('What context should the prompt use?', formOf({ context: string }));
    const { user_context: answer } = await call.ask({ user_context: context });
    return messages([`In the context of ${answer.content?.context}`]);
  }),
];
