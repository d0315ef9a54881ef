import type { Locator, Page } from 'playwright-core';

/** The elements and actions of the Servers page. */
export interface ServersPage {
  dialog(name: string): Locator;
  /** The list entry of a server. */
  row(server: string): Locator;
  /** Selects an item of a server's menu. */
  menu(server: string, item: string): Promise<void>;
  /** Removes a server and waits until its entry disappears. */
  remove(server: string): Promise<void>;
  /** The error that a screen reader announces for a field. */
  errorOf(field: Locator): Promise<string>;
}

export function onServersPage(page: Page): ServersPage {
  const row = (name: string) => page.getByRole('article', { name, exact: true });

  async function menu(server: string, item: string): Promise<void> {
    await row(server)
      .getByRole('button', { name: `Actions for ${server}` })
      .click();
    await page.getByRole('menuitem', { name: item }).click();
  }

  return {
    row,
    menu,
    dialog: (name) => page.getByRole('dialog', { name, exact: true }),
    async remove(server) {
      await menu(server, 'Remove');
      const ask = page.getByRole('dialog', { name: `Remove '${server}'?` });
      await ask.getByRole('button', { name: 'Remove' }).click();
      await row(server).waitFor({ state: 'hidden' });
    },
    async errorOf(field) {
      const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
      const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
      return (await field.getAttribute('aria-invalid')) === 'true' ? texts.join(' ') : '';
    },
  };
}

/** A text field by its exact label, without the required mark. */
export function textbox(form: Locator, name: string): Locator {
  return form.getByRole('textbox', { name, exact: true });
}
