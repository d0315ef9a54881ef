/** What a form can be made of: more would be slow, and nobody would fill it in. */
export const formLimits = { levels: 16, subschemas: 1_000, choices: 1_000 };
