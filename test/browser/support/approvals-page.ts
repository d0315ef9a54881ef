import type { Locator } from 'playwright-core';
import type { TestApp } from './app.ts';

/** Chooses an answer from the menu of an approval. */
export async function chooseAnswer(panel: Locator, name: string): Promise<void> {
  await panel.getByRole('button', { name: 'More answers' }).click();
  await panel.page().getByRole('menuitem', { name, exact: true }).click();
}

/** The elements and actions of the Approvals page. */
export function approvalsPage(app: () => TestApp) {
  const tab = (name: string | RegExp) => app().page.getByRole('tab', { name });
  return {
    tab,
    async pendingIds(): Promise<readonly string[]> {
      const { body } = await app().get('/api/approvals?status=pending');
      return body.approvals.map(({ id }: { id: string }) => id);
    },
    async openPending(): Promise<void> {
      await app().goto('/approvals');
      await tab(/^Pending/).waitFor();
    },
    /** Revokes the rule whose sentence contains this text. */
    async revokeRule(text: string): Promise<void> {
      const { page } = app();
      await tab('Rules').click();
      await page.getByRole('button', { name: new RegExp(`^Revoke: .*${text}`) }).click();
      const dialog = page.getByRole('dialog', { name: 'Revoke this rule?' });
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No rules yet').waitFor();
      await tab(/^Pending/).click();
    },
  };
}
