export { type BrowserStore, openBrowserStore } from './browser-store.ts'
export { type BlocksClient, type CallServed, type CockpitClient, createCockpitClient } from './cockpit-client.ts'
export type { FeedListener, FeedStatus, LiveFeed } from './live-feed.ts'
export type { LineWatch, TransportGiven } from './transport.ts'
