/**
 * The offline shell: the page and its built assets, so that an installed cockpit opens and says that
 * the server is away. It never sees `/api`: what was answered there is never kept in the browser's cache.
 */
const shell = 'bridlewise-shell'

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin || url.pathname.startsWith('/api')) return
  if (request.mode === 'navigate') {
    event.respondWith(freshPage(request))
    event.waitUntil(keepShell().catch(() => undefined))
  } else if (url.pathname.startsWith('/assets/')) event.respondWith(keptAsset(request))
})

/** The newest page while the server answers, the kept one while it does not. */
async function freshPage(request) {
  try {
    return await fetch(request)
  } catch {
    return (await caches.match('/')) ?? Response.error()
  }
}

/** Assets carry a hash of their content in their name, so a kept one is never out of date. */
async function keptAsset(request) {
  const cache = await caches.open(shell)
  const kept = await cache.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/** Keep the page and what it names, and let go of assets that it no longer names. */
async function keepShell() {
  const cache = await caches.open(shell)
  const page = await fetch('/', { cache: 'no-store' })
  if (!page.ok) return
  const named = new Set([...(await page.clone().text()).matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]))
  await cache.put('/', page)
  for (const path of named) if (!(await cache.match(path))) await cache.add(path)
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url)
    if (pathname !== '/' && !named.has(pathname) && /\.(js|css)$/.test(pathname)) await cache.delete(url)
  }
}
