import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { devPage } from './vite/dev-page.ts'
import { pageHead } from './vite/page-head.ts'
import { firstPageParts } from './vite/page-parts.ts'

/** Address of the running proxy that `npm run dev` works against. */
const devProxy = process.env['SALLYPORT_DEV_PROXY'] ?? 'http://localhost:3080'
const toProxy = { target: devProxy, changeOrigin: true, rewriteWsOrigin: true, ws: true }

export default defineConfig({
  base: '/web/',
  plugins: [react(), pageHead(), devPage(devProxy)],
  server: { proxy: { '/v1': toProxy, '/web/config.js': toProxy, '/scripts': toProxy } },
  build: {
    outDir: 'dist',
    // The proxy serves files below /web/app/ only, and for ever: every name carries the hash of its content.
    assetsDir: 'app',
    copyPublicDir: false,
    target: ['chrome120', 'firefox121', 'safari17.4'],
    // The content policy knows no data: scripts; one small file more costs less than a policy hole.
    assetsInlineLimit: 0,
    // What every page has by then is not listed again; nor are icons, whose many names would weigh more than fetching the few
    // of a screen a moment later.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, needed) => needed.filter((name) => !/\/(icons|react|start|rolldown-runtime)-/.test(name)),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `app/${name.replace(/~.*/u, '')}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 20 },
            // By the pages that show them, a few of which share a file.
            { name: 'icons', test: /lucide-react/, entriesAware: true, entriesAwareMergeThreshold: 1000, priority: 10 },
            ...firstPageParts.map((name, index) => ({ name, priority: firstPageParts.length - index })),
          ],
        },
      },
    },
  },
})
