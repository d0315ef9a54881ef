/** The keys that answer an approval, the same as at the terminal. No key allows calls of everyone: that takes a click. */
export const answerKeys = {
  once: 'a',
  flow: 'f',
  conversation: 'c',
  tool: 't',
  server: 's',
  edit: 'e',
  deny: 'd',
} as const;
