/** What a person is told whose answer holds for longer than one call. */
export const rememberedNote = 'Remembered; `toolwharf rules` lists what is, and takes it back.';
