/** The keys that answer an approval, the same as in the app. */
export const answerKeys = { once: 'a', conversation: 'c', tool: 't', server: 's', edit: 'e', deny: 'd' } as const;
