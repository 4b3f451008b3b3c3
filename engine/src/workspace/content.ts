/** A file's bytes, bounded, with the digest of exactly what was read. */
import { hash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type OpenFile, openFile, type RootPin, withParent } from './descent.ts'

export interface FileContent {
  /** In normal form. */
  readonly path: string
  readonly bytes: Uint8Array
  /** SHA-256 of `bytes`, in hex. */
  readonly digest: string
  /** Permission bits, as in 0o644. */
  readonly mode: number
}

export interface ReadRequest {
  readonly path: string
  /** Most bytes that are read. */
  readonly limit: number
}

/** How much is read at a time of a file that grows while it is read. */
const growthBytes = 64 * 1024

/** Read the regular file at a normal path. Refuses: what `openFile` refuses, file_too_large. */
export function readContent(pin: RootPin, request: ReadRequest): Promise<Result<FileContent>> {
  return withParent(pin, request.path, (directory, name) => readEntry(directory, name, request))
}

/** Read a file of a directory we hold. */
export function readEntry(directory: number, name: string, { path, limit }: ReadRequest): Result<FileContent> {
  const file = openFile(directory, name, path)
  if (!file.ok) return file
  try {
    const bytes = readBytes(file.value, limit)
    if (bytes === null) return refuse('file_too_large', { path, bytes: file.value.stats.size, limit })
    return ok({ path, bytes, digest: digestOf(bytes), mode: file.value.stats.mode & 0o7777 })
  } finally {
    closeSync(file.value.fd)
  }
}

/** SHA-256 in hex. */
export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/** Null when there is more than `limit`, also when the file grows past it while it is read. */
function readBytes({ fd, stats }: OpenFile, limit: number): Uint8Array | null {
  if (stats.size > limit) return null
  const buffer = Buffer.allocUnsafe(stats.size + 1)
  let filled = 0
  while (filled < buffer.length) {
    const got = readSync(fd, buffer, filled, buffer.length - filled, null)
    if (got === 0) return buffer.subarray(0, filled)
    filled += got
  }
  return readRest(fd, buffer, limit)
}

/** The file is longer than it said. Go on to the limit and no further. */
function readRest(fd: number, start: Uint8Array, limit: number): Uint8Array | null {
  const pieces = [start]
  let total = start.length
  while (total <= limit) {
    const piece = Buffer.allocUnsafe(growthBytes)
    const got = readSync(fd, piece, 0, piece.length, null)
    if (got === 0) return Buffer.concat(pieces, total)
    pieces.push(piece.subarray(0, got))
    total += got
  }
  return null
}
