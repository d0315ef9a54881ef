export const endTexts = {
  tool: { label: 'Tool error', explanation: 'The tool ran and reported an error.' },
  denied: { label: 'Denied', explanation: 'A rule or a person denied the call. It was not sent.' },
  cancelled: { label: 'Cancelled', explanation: 'The caller cancelled the call.' },
  timeout: { label: 'Timed out', explanation: 'The call took longer than its timeout.' },
  invalid: { label: 'Invalid', explanation: 'The arguments were invalid. The call was not sent.' },
  'unknown-outcome': {
    label: 'Outcome unknown',
    explanation: 'The connection or the gateway failed during the call. The call may have run and was not retried.',
  },
  failed: { label: 'Failed', explanation: 'The call could not be sent, or the server returned an error.' },
};

export const countsTexts = {
  success: 'success',
  error: 'failed',
  denied: 'denied',
  invalid: 'invalid',
  cancelled: 'cancelled',
  unknown: 'unknown',
};
