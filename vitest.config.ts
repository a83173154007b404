import { defineConfig } from 'vitest/config'

/** `unit`: next to what they test, on Node, side by side. `e2e`: whole processes and browsers, one file after the other. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          environment: 'node',
          // For a machine that does other things as well: nothing here waits for a time, but processes have to start.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
})
