/** A server that takes sign-ins as fast as they come, so that the queue of hashes is what is measured. */
import { readConfig, startServer } from '@bridlewise/server'
import { need } from '../support/script-client.ts'

const open = { burst: 100_000, everyMs: 1 }
const rates = { light: open, normal: open, costly: open, secret: open }
const server = need(await startServer(need(readConfig(process.env)), { limits: { rates } }))
process.stdout.write(`${JSON.stringify({ url: server.url, code: server.setupCode() })}\n`)
process.once('SIGTERM', () => void server.close())
