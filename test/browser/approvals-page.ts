import type { TestApp } from '../support/app.ts';

/** What a person does on the page of approvals, and what the gateway knows of it. */
export function approvalsPage(app: () => TestApp) {
  const tab = (name: string | RegExp) => app().page.getByRole('tab', { name });
  return {
    tab,
    async pendingIds(): Promise<readonly string[]> {
      const { body } = await app().get('/api/approvals?status=pending');
      return body.approvals.map(({ id }: { id: string }) => id);
    },
    async openInbox(): Promise<void> {
      await app().goto('/approvals');
      await tab(/^Waiting/).waitFor();
    },
    /** Takes the rule back whose sentence has these words. */
    async revoke(words: string): Promise<void> {
      const { page } = app();
      await tab('Rules').click();
      await page.getByRole('button', { name: new RegExp(`^Revoke: .*${words}`) }).click();
      const dialog = page.getByRole('dialog', { name: 'Revoke this rule?' });
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No answer is remembered').waitFor();
      await tab(/^Waiting/).click();
    },
  };
}
