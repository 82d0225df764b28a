import type { TestProject } from 'vitest/node'
import { keepCompiled } from './holdfast.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One server for the whole run; every test makes itself a database on it with `createDatabase`. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeCompiled = keepCompiled()
  const postgres = await startPostgres()
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    removeCompiled()
  }
}
