/** A thread that runs one regular expression over what it is sent. It may hang; then it is ended from outside. */
import { parentPort, workerData } from 'node:worker_threads'
import { findLines, type SearchedText } from './find-lines.ts'

const { source, flags } = workerData as { readonly source: string; readonly flags: string }
const pattern = new RegExp(source, flags)

parentPort?.on('message', (texts: readonly SearchedText[]) => parentPort?.postMessage(findLines(texts, pattern)))
