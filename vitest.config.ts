import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests run on real parts; `tests/support/quiet.ts` takes away provider keys and the way off this machine. */
const project = (name: string, include: string[]) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    setupFiles: ['./tests/support/quiet.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

export default defineConfig({
  test: {
    projects: [
      project('unit', ['{shared,engine,server,guardian}/**/*.test.ts', 'cockpit/src/**/*.test.ts']),
      project('contract', ['tests/contract/**/*.test.ts']),
      project('architecture', ['tests/architecture/**/*.test.ts']),
      project('hostile', ['tests/hostile/**/*.test.ts']),
      project('regress', ['tests/regress/**/*.test.ts']),
      project('journeys', ['tests/journeys/**/*.test.ts']),
    ],
    // The runner would leave a core to itself, which on two cores is half of them.
    maxWorkers: availableParallelism(),
    passWithNoTests: false,
  },
})
