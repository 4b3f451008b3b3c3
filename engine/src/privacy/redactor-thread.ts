/** A thread that redacts what it is sent, one text after the other. It may take too long; then it is ended from outside. */
import { parentPort, workerData } from 'node:worker_threads'
import { createRedactor } from './redactor.ts'
import type { RedactorSettings } from './replacements.ts'

const redactor = createRedactor(workerData as RedactorSettings)

parentPort?.on('message', (text: string) => parentPort?.postMessage(redactor.redact(text)))
