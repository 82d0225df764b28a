import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// A sandbox of the client does not show the disk in memory.
const { projects: _, env: __, ...shared } = base.test ?? {}

/** Tests with the real client, separate from `npm test` because they need a download. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/client/*.client.ts'],
    globalSetup: ['test/global-setup.ts', 'test/client/install.ts'],
    // Each client starts many processes.
    maxWorkers: '50%',
    // Above the harness's own limit for a client that hangs, which has a better message.
    testTimeout: 180_000,
  },
})
