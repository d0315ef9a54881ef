/** The label and meaning of each approval mode. */
export const approvalModes = {
  'always-ask': {
    label: 'Always ask',
    meaning: 'Every call needs your approval. You see the tool and its arguments first.',
  },
  'trusted-only': {
    label: 'Trusted only',
    meaning: 'The tools listed below run without approval. Every other call needs it.',
  },
  auto: { label: 'Auto', meaning: 'Every call runs without approval. Use it for harmless tools only.' },
};
