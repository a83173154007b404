import { defineConfig } from 'vitest/config'

/** `unit`: next to what they test, on Node. `e2e`: whole processes and browsers, which wait more than they work. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          environment: 'node',
          // Listening to the kernel takes seconds to begin; tests that are about it switch it on.
          env: { SALLYPORT_ENHANCED_RECORDING: 'off' },
          // For a machine that does other things as well: nothing here waits for a time, but processes have to start.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.ts'],
          setupFiles: ['e2e/failed-pages.ts'],
          env: { SALLYPORT_ENHANCED_RECORDING: 'off' },
          testTimeout: 600_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
          expect: { poll: { timeout: 120_000 } },
        },
      },
    ],
  },
})
