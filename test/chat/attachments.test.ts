import { describe, expect, test } from 'vitest';
import { attachmentLimits } from '../../packages/contract/chat.ts';
import type { Script } from '../fixtures/models/scripted-chat-server.ts';
import { openScriptedChat, type TestChatOptions, textOf } from '../support/open-chat.ts';

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
const png = {
  name: 'dot.png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
const note = { name: 'note.txt', data: base64('high water is at six') };

async function open(script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) {
  const testChat = await openScriptedChat(script, options);
  const { storage, assistant } = testChat;
  return {
    ...testChat,
    declare: (takesImages: boolean) => storage.modelSettings.put({ ...assistant.model, takesImages }),
  };
}

describe('an attachment', () => {
  test('an attachment that is text reaches the model as text, in every later request of the branch', async () => {
    await using testChat = await open([{ text: 'At six.' }, { text: 'Still at six.' }]);
    const { chat, id } = testChat;
    await chat.send(id, 'When?', [note]);
    await testChat.waitForAnswer();
    const [, question] = testChat.model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(question)).toContain('File note.txt:\\n\\nhigh water is at six');
    await testChat.sendAndWait('And now?');
    expect(JSON.stringify(testChat.model.requests.at(-1)?.messages)).toContain('high water is at six');
  });

  test('an attachment that is an image reaches a model that takes images, and is kept with an edited message', async () => {
    await using testChat = await open([{ text: 'A dot.' }, { text: 'Still a dot.' }]);
    const { chat, id } = testChat;
    await testChat.declare(true);
    await chat.send(id, '', [png]);
    await testChat.waitForAnswer();
    expect(testChat.model.requests.at(-1)?.last).toContain(`data:image/png;base64,${png.data}`);
    const [message] = (await chat.read(id))?.messages ?? [];
    expect(message?.parts).toMatchObject([{ type: 'attachment', kind: 'image', mediaType: 'image/png' }]);
    expect((await testChat.conversation()).title).toBe('dot.png');
    await chat.edit(id, message?.id ?? '', 'Which colour?');
    await testChat.waitForAnswer();
    expect(testChat.model.requests.at(-1)?.last).toContain(png.data);
    await chat.remove(id);
    expect(await testChat.storage.conversations.attachmentTotals(id)).toEqual({ count: 0, sizeBytes: 0 });
  });

  test('an image is refused with a reason if the model accepts no images, or if that is unknown', async () => {
    await using testChat = await open([{ text: 'Fine.' }]);
    const { chat, id } = testChat;
    const unknown = { code: 'REQUEST_INVALID', message: /Whether scripted takes images is unknown.*Tester/ };
    await expect(chat.send(id, 'Look', [png])).rejects.toMatchObject(unknown);
    await testChat.declare(false);
    const refused = { code: 'REQUEST_INVALID', message: /scripted takes no images/ };
    await expect(chat.send(id, 'Look', [png])).rejects.toMatchObject(refused);
    expect((await chat.read(id))?.messages).toEqual([]);
    expect(await testChat.storage.conversations.attachmentTotals(id)).toEqual({ count: 0, sizeBytes: 0 });
  });

  test('an attachment is named for a model that takes no images, if an earlier model of the conversation did', async () => {
    await using testChat = await open([{ text: 'A dot.' }, { text: 'I cannot see it.' }]);
    await testChat.declare(true);
    await testChat.chat.send(testChat.id, 'Look', [png]);
    await testChat.waitForAnswer();
    await testChat.declare(false);
    await testChat.sendAndWait('Again');
    const sent = JSON.stringify(testChat.model.requests.at(-1)?.messages);
    expect(sent).toContain('[image dot.png: not sent');
    expect(sent).not.toContain(png.data);
  });

  test('the type of an attachment is detected from its content, not from its name', async () => {
    await using testChat = await open([{ text: 'Read.' }]);
    const { chat, id } = testChat;
    const svg = { name: '../../logo\u202e.png', data: base64('<svg xmlns="x"><script>alert(1)</script></svg>') };
    await chat.send(id, 'Read them', [svg, { name: 'page.html', data: base64('<script>alert(1)</script>') }]);
    await testChat.waitForAnswer();
    const [message] = (await chat.read(id))?.messages ?? [];
    expect(message?.parts.slice(0, 2)).toMatchObject([
      { kind: 'text', mediaType: 'text/plain', name: '.. .. logo⟨U+202E⟩.png' },
      { kind: 'text', mediaType: 'text/plain' },
    ]);
    expect(textOf(message as never)).toBe('Read them');
  });

  const { maxFiles, maxMessageBytes, maxTextBytes } = attachmentLimits;
  const pngOf = (bytes: number) => base64(Buffer.concat([Buffer.from(png.data, 'base64'), Buffer.alloc(bytes)]));
  const refusals = [
    { name: 'is empty', files: [{ name: 'a', data: '' }], message: /a is empty/ },
    { name: 'is binary', files: [{ name: 'a.pdf', data: base64('%PDF\0') }], message: /a.pdf is neither an image/ },
    { name: 'is not UTF-8', files: [{ name: 'a.txt', data: 'gICA' }], message: /neither an image .* nor a text/ },
    { name: 'is a long text', files: [{ name: 'a', data: base64('x'.repeat(maxTextBytes + 1)) }], message: /262144/ },
    { name: 'is too large', files: [{ name: 'a', data: pngOf(maxMessageBytes) }], message: /at most 2621440 bytes/ },
    { name: 'is one too many', files: Array.from({ length: maxFiles + 1 }, () => note), message: /at most 8 files/ },
  ];
  for (const { name, files, message } of refusals)
    test(`an attachment that ${name} is refused`, async () => {
      await using testChat = await open([]);
      await testChat.declare(true);
      const sent = testChat.chat.send(testChat.id, 'Look', files);
      await expect(sent).rejects.toMatchObject({ code: 'REQUEST_INVALID', message });
    });

  test('an attachment that exceeds the limit of its conversation is refused', async () => {
    await using testChat = await open([]);
    const { chat, id, storage } = testChat;
    const full = { id: crypto.randomUUID(), sizeBytes: attachmentLimits.maxConversationBytes, data: '' };
    await storage.conversations.putAttachment(id, full);
    await expect(chat.send(id, 'Look', [note])).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });
});
