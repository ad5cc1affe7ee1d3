// How the pages are built (tools/build-web.ts), and served while somebody works on them: `npx vite web` beside a service at ATTEST_URL.
import { join } from 'node:path'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    // React Aria brings its own words in 34 languages; these are ours.
    { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' },
    {
      // React Aria's announcer, which its fields of a day use, empties itself by markup, and the policy of the pages allows none.
      name: 'announcer-without-markup',
      transform: (code, id) =>
        /LiveAnnouncer\.m?js$/.test(id) ? code.replaceAll(".innerHTML = ''", '.replaceChildren()') : undefined,
    },
  ],
  server: { host: '127.0.0.1', proxy: { '/api': process.env.ATTEST_URL ?? 'http://127.0.0.1:8000' } },
  build: {
    target: 'es2024',
    // A picture within a page would need `data:` in its Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        application: join(import.meta.dirname, 'index.html'),
        controlPanel: join(import.meta.dirname, 'control-panel/index.html'),
      },
      // The first page knows the name of every file, and a hash is what compresses least of it: 42 bits tell two builds of a file apart.
      output: {
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
      },
      // React Aria marks its files for servers that render, which mean nothing here.
      onLog: (level, log, next) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') next(level, log)
      },
    },
  },
})
