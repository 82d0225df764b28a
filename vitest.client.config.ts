import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { projects: _, ...shared } = base.test ?? {}

/** The stories with the real client: apart from `npm test`, because they need a download. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/client/*.client.ts'],
    globalSetup: ['test/client/install.ts'],
    // A client is many processes by itself.
    maxWorkers: '50%',
    // Above the harness's own limit for a client that hangs, whose message says more.
    testTimeout: 180_000,
  },
})
