/**
 * How the cockpit is bundled: hashed external files only, because the server's content security
 * policy allows no inline script, no inline style and no `data:` source but images.
 */
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte()],
  resolve: { conditions: ['browser'] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // A small asset turned into a `data:` URL would be refused by the policy.
    assetsInlineLimit: 0,
    // The polyfill is an inline script; every browser that has `light-dark()` preloads modules itself.
    modulePreload: { polyfill: false },
    target: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { host: '127.0.0.1', strictPort: true, ...proxyTo(process.env['BRIDLEWISE_DEV_SERVER']) },
})

/** While developing, calls go on to the server as if its own page had made them. */
function proxyTo(server: string | undefined) {
  if (server === undefined) return {}
  return { proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } } }
}
