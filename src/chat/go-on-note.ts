/** What a model is told after an answer that was cut off and is to go on. Part of no conversation. */
export const goOnNote = '(Your answer above was cut off. Go on from where it stopped, without repeating it.)';
