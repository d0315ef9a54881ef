import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { createQueries } from './api/create-queries.ts';
import { allowOwnStyles } from './components/allow-own-styles.ts';
import './components/back-gate.ts';
import { applyTheme, readTheme } from './components/theme.ts';
import './theme.css';

allowOwnStyles();
applyTheme(readTheme());

const place = document.getElementById('root');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={createQueries()}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
