import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a program with stdin; returns whether it succeeded without errors on stderr. */
export async function runToEnd(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input: string,
): Promise<boolean> {
  const child = spawn(program, words, { env, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.stdin.on('error', () => undefined).end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 && said === ''
}
