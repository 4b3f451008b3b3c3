/**
 * Import this before anything of the contract in a page that forbids code made from text: the schemas
 * would otherwise try whether they may make some, and the browser reports each try. It is the one
 * module with an effect at import, since schemas ask while they are made.
 */
import { config } from 'zod'

config({ jitless: true })
