import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node'

const SHOWN = 10

/** Prints the slowest files at the end of a run, the tests that could not run on this machine, and what fails it without a test. */
export class SuiteReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const { root = '', testNamePattern } = this.#vitest?.config ?? {}
    for (const line of slowest(modules, root)) this.#vitest?.logger.log(line)
    for (const line of outsideOfTests(errors)) this.#vitest?.logger.log(line)
    // Unselected tests are skipped as well.
    if (testNamePattern !== undefined) return
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    for (const line of notRun(skipped)) this.#vitest?.logger.log(line)
    // A test that stops running must not go unnoticed.
    if (skipped.some((test) => reasonOf(test) === undefined)) process.exitCode = 1
  }
}

function slowest(modules: readonly TestModule[], root: string): readonly string[] {
  if (modules.length <= SHOWN) return []
  const rows = modules
    .map((module) => ({ file: relative(root, module.moduleId), seconds: secondsOf(module) }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SHOWN)
  return [
    ` The ${SHOWN} slowest files:`,
    ...rows.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`),
    '',
  ]
}

/** From the start of its worker to the end of its last test. */
function secondsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic()
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000
}

function outsideOfTests(errors: readonly SerializedError[]): readonly string[] {
  if (errors.length === 0) return []
  return [
    ' Errors outside of every test, so the run fails:',
    ...errors.map(({ message, stack }) => `   ${stack ?? message}`),
    '',
  ]
}

function notRun(skipped: readonly TestCase[]): readonly string[] {
  if (skipped.length === 0) return []
  return [
    ' Not run on this machine:',
    ...skipped.map(
      (test) => `   ${test.fullName}: ${reasonOf(test) ?? 'NO REASON WAS GIVEN, so the run fails'}`,
    ),
    '',
  ]
}

function reasonOf(test: TestCase): string | undefined {
  const result = test.result()
  return result.state === 'skipped' ? result.note : undefined
}
