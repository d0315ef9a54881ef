import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contractValues } from '../../scripts/contract-values.ts';

// `npm run dev -w web` serves the app with hot reloading, and forwards all other requests to a running gateway.
const gateway = process.env.TOOLWHARF_GATEWAY ?? 'http://127.0.0.1:7420';

export default defineConfig({
  plugins: [react(), tailwind(), contractValues()],
  server: {
    proxy: { '/api': { target: gateway, changeOrigin: true }, '/docs': { target: gateway, changeOrigin: true } },
  },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no inline scripts, and every file of ours is small enough to be fetched.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for all that the first page needs: it compresses better than thirty, and takes one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'app', tags: ['$initial'] }] } } },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
  },
});
