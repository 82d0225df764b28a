import { EngineError } from '../model/error.ts'

/** A PostgreSQL URL without its password; rejects anything else. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url) || !/^postgres(ql)?:/.test(url))
    throw new EngineError('invalid', 'HOLDFAST_DATABASE_URL is not a PostgreSQL URL.', {
      field: 'HOLDFAST_DATABASE_URL',
      hint: 'HOLDFAST_DATABASE_URL=postgres://USER:PASSWORD@HOST/DATABASE',
    })
  const shown = new URL(url)
  if (shown.password !== '') shown.password = '***'
  if (shown.searchParams.has('password')) shown.searchParams.set('password', '***')
  return shown.href
}

export const unreachable = (error: unknown) =>
  new EngineError(
    'unavailable',
    `PostgreSQL cannot be reached: ${error instanceof Error ? error.message : String(error)}.`,
    { cause: error, hint: 'Check HOLDFAST_DATABASE_URL, or unset it to use the embedded database.' },
  )
