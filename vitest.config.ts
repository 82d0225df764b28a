import { defineConfig } from 'vitest/config'

const report = process.env['HOLDFAST_TEST_REPORT']

export default defineConfig({
  test: {
    include: ['{src,test}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: [
      'default',
      ...(report === undefined ? [] : [['json', { outputFile: report }] as [string, Record<string, string>]]),
    ],
  },
})
