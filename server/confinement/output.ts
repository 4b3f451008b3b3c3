/** What a process wrote: both streams as one text, bounded in memory, cut in the middle and never inside a character. */
import { StringDecoder } from 'node:string_decoder'

export interface Recording {
  readonly output: string
  readonly stdout: string
  /** Bytes received, kept or not. */
  readonly bytes: number
  readonly cut: string | null
}

export interface Recorder {
  push(stream: 'stdout' | 'stderr', chunk: Buffer): void
  finish(): Recording
}

/**
 * Contract: at most twice `limit` bytes are held, whatever arrives. `live` hears text as it comes until
 * `limit` bytes have passed, then one notice and nothing more; the recording still has the end.
 */
export function createRecorder(limit: number, live: (stream: 'stdout' | 'stderr', text: string) => void): Recorder {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  const both = createWindow(limit)
  const stdout = createWindow(limit)
  let bytes = 0
  let passed = 0

  const take = (stream: 'stdout' | 'stderr', text: string) => {
    if (text === '') return
    const encoded = Buffer.from(text)
    both.push(encoded)
    if (stream === 'stdout') stdout.push(encoded)
    if (passed < limit) live(stream, text)
    const before = passed
    passed += encoded.length
    if (before < limit && passed >= limit) live(stream, '\n[More is coming; the end follows when the command is done.]\n')
  }

  return {
    push(stream, chunk) {
      bytes += chunk.length
      take(stream, decoders[stream].write(chunk))
    },
    finish() {
      take('stdout', decoders.stdout.end())
      take('stderr', decoders.stderr.end())
      const dropped = both.dropped()
      const cut = dropped === 0 ? null : `${dropped} of ${bytes} bytes are left out of the middle`
      return { output: both.text(), stdout: stdout.text(), bytes, cut }
    },
  }
}

interface Window {
  push(bytes: Buffer): void
  dropped(): number
  text(): string
}

/** The first and the last half of `limit` bytes. */
function createWindow(limit: number): Window {
  const headRoom = Math.floor(limit / 2)
  const tailRoom = limit - headRoom
  const head: Buffer[] = []
  const tail: Buffer[] = []
  let headBytes = 0
  let tailBytes = 0
  let headFull = false
  let forgotten = 0

  const keepLast = (bytes: Buffer) => {
    tail.push(bytes)
    tailBytes += bytes.length
    for (let first = tail[0]; first !== undefined && tailBytes - first.length >= tailRoom; first = tail[0]) {
      tail.shift()
      tailBytes -= first.length
      forgotten += first.length
    }
  }
  const ending = () => {
    const all = Buffer.concat(tail)
    return all.subarray(startOfCharacter(all, Math.max(0, all.length - tailRoom)))
  }

  return {
    push(bytes) {
      if (headFull) return keepLast(bytes)
      const fits = bytes.length <= headRoom - headBytes
      const part = fits ? bytes : bytes.subarray(0, endOfCharacter(bytes, headRoom - headBytes))
      head.push(part)
      headBytes += part.length
      if (fits) return
      headFull = true
      keepLast(bytes.subarray(part.length))
    },
    dropped: () => forgotten + tailBytes - ending().length,
    text() {
      const last = ending()
      const dropped = forgotten + tailBytes - last.length
      const gap = dropped === 0 ? '' : `\n[${dropped} bytes left out here]\n`
      return Buffer.concat(head).toString('utf8') + gap + last.toString('utf8')
    },
  }
}

/** The next position at or after `at` where a character starts. */
function startOfCharacter(bytes: Buffer, at: number): number {
  let start = at
  while (start < bytes.length && isContinuation(bytes[start])) start += 1
  return start
}

/** The last position at or before `at` where no character is torn. */
function endOfCharacter(bytes: Buffer, at: number): number {
  let end = at
  while (end > 0 && isContinuation(bytes[end])) end -= 1
  return end
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
