import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client.ts';
import { keepEqual } from './api/keep-equal.ts';
import { features } from './features/index.ts';
import { App } from './shell/App.tsx';
import './components/back-guard.ts';
import { applyTheme, readTheme } from './shell/theme.ts';
import './theme.css';

// The content security policy allows only styles with the page's nonce; the dialogs' scroll lock reads it from here.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
Object.assign(globalThis, { __webpack_nonce__: nonce });
applyTheme(readTheme());

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Events invalidate what has changed, so nothing is polled.
      staleTime: 60_000,
      // The gateway may run on this machine, which answers without a network.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      structuralSharing: keepEqual,
      // The gateway would reject the same request again; only a missing response is worth a retry.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
});

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App features={features} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
