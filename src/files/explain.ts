import { EngineError } from '../model/error.ts'
import { osErrorOf } from '../model/os-error.ts'

/** Rethrows what the operating system says about a path in words. */
export const explain =
  (path: string) =>
  (error: unknown): never => {
    throw explained(error, path)
  }

/** Replaces an error that only says that nothing is there. */
export function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value
    throw explained(error, error.path ?? 'The path')
  }
}

function explained(error: unknown, path: string): unknown {
  const known = osErrorOf(error)
  if (known === undefined) return error
  const { code, is, hint } = known
  return new EngineError(code, `${path} ${is}.`, {
    field: 'path',
    cause: error,
    ...(hint !== undefined && { hint }),
  })
}
