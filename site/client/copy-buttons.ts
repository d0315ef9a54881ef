/** Adds a button to each code block. Of a console, it copies the commands without what they print. */
export function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll<HTMLElement>('figure.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(textOf(block));
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1_500);
    });
    block.append(button);
  }
}

function textOf(block: HTMLElement): string {
  const commands = [...block.querySelectorAll('.command')].map(({ textContent }) => textContent ?? '');
  return commands.length > 0 ? commands.join('\n') : (block.querySelector('code')?.textContent ?? '');
}
