/** Kinds of columns that many tables share. */
import { blob, integer, text } from 'drizzle-orm/sqlite-core'

/** Sealed bytes; nobody but `seal.ts` reads or writes them. */
export const sealed = () => blob({ mode: 'buffer' })

/** Milliseconds since 1970. */
export const time = () => integer()

/** An id as `makeId` builds it. */
export const id = () => text()
