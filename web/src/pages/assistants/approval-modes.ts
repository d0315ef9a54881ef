import type { Assistant } from '../../api/client.ts';

/** The three ways to decide who says yes to a call, in words. */
export const approvalModes: Readonly<
  Record<Assistant['toolApproval'], { readonly label: string; readonly meaning: string }>
> = {
  'always-ask': {
    label: 'Always ask',
    meaning: 'Every call waits for you. You see the tool and its arguments, and allow or deny it.',
  },
  'trusted-only': {
    label: 'Trusted only',
    meaning: 'Tools that you name below run by themselves. Every other call waits for you.',
  },
  auto: {
    label: 'Auto',
    meaning: 'Every call runs at once, without a question. Right for tools that can do no harm.',
  },
};
