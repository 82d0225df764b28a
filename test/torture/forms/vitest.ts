import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Found } from './form.ts'

/** Runs test files in their long form, which a variable asks for. */
export async function vitest(
  files: string | readonly string[],
  more: NodeJS.ProcessEnv,
  ...flags: readonly string[]
): Promise<Found> {
  const env = { ...process.env, ...more }
  const [code] = await once(
    spawn('vitest', ['run', ...[files].flat(), ...flags], { env, stdio: 'inherit' }),
    'exit',
  )
  return { violations: code === 0 ? [] : [`vitest ended with ${String(code)}`] }
}
