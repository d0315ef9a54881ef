import type { Locator, Page } from 'playwright-core';

/** What a person finds and does on the page of the servers. */
export interface ServersPage {
  dialog(name: string): Locator;
  /** The entry of a server in the list. */
  row(server: string): Locator;
  /** Chooses from the menu of a server. */
  menu(server: string, item: string): Promise<void>;
  /** Removes a server, and waits until it is gone. */
  remove(server: string): Promise<void>;
  /** What is said to be wrong with a field, to those who can't see where it stands. */
  problemOf(field: Locator): Promise<string>;
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
    async problemOf(field) {
      const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
      const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
      return (await field.getAttribute('aria-invalid')) === 'true' ? texts.join(' ') : '';
    },
  };
}

/** A field by all of its name, without the mark of one that is required. */
export function textbox(form: Locator, name: string): Locator {
  return form.getByRole('textbox', { name, exact: true });
}
