import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { addScriptedAssistant, type ScriptedAssistant } from '../support/scripted-assistant.ts';
import { expectAccessible, startApp, type TestApp } from './support/app.ts';

let app: TestApp;
let page: Page;
let assistant: ScriptedAssistant;

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.attacked = 1"><script>attacked = 1</script></svg>';

beforeAll(async () => {
  app = await startApp({ servers: { files: fixture('legacy') } });
  page = app.page;
  assistant = await addScriptedAssistant(app, [], { name: 'Pilot', serverIds: [] });
});

afterAll(async () => {
  await app?.close();
  await assistant?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await declareImages(true);
  await app.goto('/chat');
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: 'Pilot' });
});

const declareImages = (takesImages: boolean) =>
  app.put('/api/model-settings', { provider: assistant.provider, model: 'scripted', takesImages });
const attached = () => page.getByRole('list', { name: 'Attached files' });
const message = () => page.getByRole('textbox', { name: 'Message' });
const answer = () => page.getByRole('article', { name: 'Answer' }).last();
const question = () => page.getByRole('article', { name: 'Your message' }).last();
const file = (name: string, content: string | Buffer, mimeType = 'text/plain') => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});

async function attach(...files: ReturnType<typeof file>[]): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles(files);
}

/** Sends an event with files, as a drag or a paste does. */
async function transfer(target: string, type: 'drop' | 'dragover' | 'paste', name: string): Promise<void> {
  await page.evaluate(
    ([selector = '', event = '', fileName = '', data = '']) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const content = { name: fileName, type: 'image/png', bytes };
      (globalThis as unknown as PageScript).sendFiles(selector, event, content);
    },
    [target, type, name, png.toString('base64')],
  );
}

interface PageScript {
  sendFiles(selector: string, event: string, file: { name: string; type: string; bytes: Uint8Array }): void;
}

const sendFiles = `globalThis.sendFiles = (selector, type, { name, bytes, type: mediaType }) => {
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, { type: mediaType }));
  const init = { bubbles: true, cancelable: true };
  const event = type === 'paste'
    ? new ClipboardEvent(type, { ...init, clipboardData: data })
    : new DragEvent(type, { ...init, dataTransfer: data });
  document.querySelector(selector).dispatchEvent(event);
}`;

test('files are chosen, dropped and pasted, shown with thumbnails, removed and sent', async () => {
  await page.evaluate(sendFiles);
  await attach(file('note.txt', 'high water is at six'));
  await transfer('body', 'dragover', 'dropped.png');
  await page.getByText('Drop files to attach them').waitFor();
  await transfer('body', 'drop', 'dropped.png');
  await attached().getByText('dropped.png').waitFor();
  expect(await page.getByText('Drop files to attach them').count()).toBe(0);
  await transfer('textarea', 'paste', 'pasted.png');
  await attached().getByText('pasted.png').waitFor();
  expect(await attached().locator('img').count()).toBe(2);
  await expectAccessible(page);
  await attached().getByRole('button', { name: 'Remove pasted.png' }).click();
  assistant.model.push({ text: 'I see a dot.' });
  await message().fill('What is this?');
  await message().press('Enter');
  await answer().getByText('I see a dot.').waitFor();
  expect(await attached().count()).toBe(0);
  const sent = assistant.model.requests.at(-1)?.last ?? '';
  expect(sent).toContain(`data:image/png;base64,${png.toString('base64')}`);
  expect(sent).toContain('high water is at six');
  expect(sent).not.toContain('pasted.png');

  await page.reload();
  const image = question().getByRole('button', { name: /Open dropped.png/ });
  await image.locator('img').waitFor();
  await expectAccessible(page);
  await image.click();
  await page.getByRole('dialog', { name: 'dropped.png' }).getByRole('img', { name: 'dropped.png' }).waitFor();
  await page.keyboard.press('Escape');
  await question()
    .getByRole('button', { name: /note.txt/ })
    .click();
  await page.getByRole('dialog', { name: 'note.txt' }).getByText('high water is at six').waitFor();
});

test('hostile files are shown as text, whatever their name and type', async () => {
  assistant.model.push({ text: 'Harmless here.' });
  await attach(
    file('logo.svg', svg, 'image/svg+xml'),
    file('photo.png', '<script>globalThis.attacked = 1</script>', 'image/png'),
    file('page.html', '<img src=x onerror="globalThis.attacked = 1">', 'text/html'),
  );
  await message().press('Enter');
  await answer().getByText('Harmless here.').waitFor();
  for (const name of ['logo.svg', 'photo.png', 'page.html']) {
    await question()
      .getByRole('button', { name: new RegExp(name) })
      .click();
    const dialog = page.getByRole('dialog', { name });
    await dialog.locator('pre').getByText('attacked = 1').waitFor();
    expect(await dialog.locator('img, svg script, iframe, object').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  expect(await question().locator('img').count()).toBe(0);
  expect(await page.evaluate(() => (globalThis as { attacked?: number }).attacked)).toBeUndefined();
});

test('an image is refused with a reason if the model takes none, and message and files stay', async () => {
  await declareImages(false);
  await attach(file('dot.png', png, 'image/png'));
  await message().fill('What is this?');
  await message().press('Enter');
  await page
    .getByText(/^scripted takes no images/)
    .first()
    .waitFor();
  await attached().getByText('dot.png').waitFor();
  expect(await message().inputValue()).toBe('What is this?');
  expect(new URL(page.url()).pathname).toBe('/chat');
});

test('too many and too large files are refused in the message field', async () => {
  await attach(...Array.from({ length: 9 }, (_, index) => file(`${index}.txt`, 'x')));
  await page.getByText('Attach at most 8 files.').waitFor();
  expect(await attached().getByRole('listitem').count()).toBe(8);
  await app.goto('/chat');
  await attach(file('big.txt', 'x'.repeat(3 * 1024 * 1024)));
  await page.getByText('big.txt is too large. The files of a message can have 2.5 MiB.').waitFor();
});

// Noise does not compress.
const makeNoise = `globalThis.makeNoise = async () => {
  const canvas = new OffscreenCanvas(1400, 1000);
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  for (let at = 0; at < image.data.length; at += 65_536)
    crypto.getRandomValues(image.data.subarray(at, Math.min(at + 65_536, image.data.length)));
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
  context.putImageData(image, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}`;

test('a large image is made smaller before it is sent', async () => {
  await page.evaluate(makeNoise);
  const large = await page.evaluate(async () =>
    (globalThis as unknown as { makeNoise(): Promise<string> }).makeNoise(),
  );
  const bytes = Buffer.from(large, 'base64');
  expect(bytes.length).toBeGreaterThan(3 * 1024 * 1024);
  await attach(file('photo.png', bytes, 'image/png'));
  await attached().getByText('photo.png').waitFor();
  assistant.model.push({ text: 'A photo.' });
  await message().press('Enter');
  await answer().getByText('A photo.').waitFor();
  expect(assistant.model.requests.at(-1)?.last).toContain('data:image/jpeg;base64,');
});
