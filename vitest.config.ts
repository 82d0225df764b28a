import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SuiteReporter } from './test/suite-reporter.ts'

const report = process.env['HOLDFAST_TEST_REPORT']

export default defineConfig({
  test: {
    include: ['{src,test}/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // One more than cores, because most files wait for a disk or for other processes; the default is one less.
    maxWorkers: availableParallelism() + 1,
    // Only for what hangs: many processes on a busy machine take their time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: [
      'default',
      new SuiteReporter(),
      ...(report === undefined ? [] : [['json', { outputFile: report }] as [string, Record<string, string>]]),
    ],
  },
})
