import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { memoryDisk } from './test/memory-disk.ts'
import { SlowFirst } from './test/slow-first.ts'
import { SuiteReporter } from './test/suite-reporter.ts'

const report = process.env['HOLDFAST_TEST_REPORT']

/** Tests that need no database and leave no state for the next file. */
const UNITS = 'src/{cli,clients,daemon,demo,files,hook,model,rpc,rules,skills}/**/*.test.ts'

export default defineConfig({
  test: {
    // Files share a worker, because starting one and loading the sources takes longer than most files.
    isolate: false,
    // Temporary files cost a tenth on a disk in memory.
    env: { TMPDIR: memoryDisk },
    projects: [
      { extends: true, test: { name: 'units', include: [UNITS] } },
      {
        extends: true,
        test: {
          name: 'stories',
          include: ['{src,test}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, UNITS],
          globalSetup: ['test/global-setup.ts'],
        },
      },
    ],
    sequence: { sequencer: SlowFirst },
    // Two more than the cores, because most stories wait for other processes; four more were slower by a seventh.
    maxWorkers: availableParallelism() + 2,
    // Only for tests that hang, because a busy machine can be slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: [
      'default',
      new SuiteReporter(),
      ...(report === undefined ? [] : [['json', { outputFile: report }] as [string, Record<string, string>]]),
    ],
  },
})
