/** Where the page begins: the browser's parts are bound here, and nowhere else. */
import '@bridlewise/shared/no-generated-code'
import { mount } from 'svelte'
import App from './App.svelte'
import { createCockpitClient, createStreamSlots, openBrowserStore } from './client/index.ts'
import { Cockpit } from './state/index.ts'
import './theme/index.css'

const cockpit = new Cockpit({
  store: openBrowserStore(() => localStorage),
  now: () => Date.now(),
  newKey: () => crypto.randomUUID(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  connect: ({ token, device, ...watch }) =>
    createCockpitClient({
      origin: '',
      fetch: (resource, init) => fetch(resource, init),
      token,
      device,
      watch,
      takeSlot: createStreamSlots(navigator.locks),
    }),
})

const target = document.getElementById('app')
if (!target) throw new Error('The page has no element to draw the cockpit in.')
mount(App, { target, props: { cockpit } })

if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  // Without it everything still works; only opening the cockpit while the server is away does not.
  navigator.serviceWorker.register(workerAddress('/sw.js')).catch(() => undefined)
}

/** A browser that knows trusted types takes a worker's address from a named policy only; this one knows a single address. */
function workerAddress(path: '/sw.js'): string {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes }
  return trustedTypes ? trustedTypes.createPolicy('bridlewise-worker', { createScriptURL: () => path }).createScriptURL('') : path
}

/** The part of the browser's interface that the types of the language do not know yet; what it gives passes for text. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (text: string) => string },
  ): { createScriptURL(text: string): string }
}
