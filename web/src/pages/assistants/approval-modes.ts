import { text } from '../../text/text.ts';

/** The label and meaning of each approval mode. */
export const approvalModes = text.assistants.modes;
