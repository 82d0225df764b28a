import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { User } from './holdfast.ts'

/** What `holdfast import --json` prints. */
export interface Imported {
  readonly sessions: Readonly<Record<string, number>>
  readonly messages: number
  readonly left_out: number
  readonly lines: { readonly read: number; readonly not_understood: number; readonly too_long: number }
}

/** A user with a project, and with transcripts that their client wrote before. */
export function formerUser(env: Readonly<Record<string, string>> = {}) {
  const user = new User(env)
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  const put = (session: string, text: string, cwd = user.project) => {
    const folder = join(user.clientConfig, 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'))
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `${session}.jsonl`)
    writeFileSync(path, text.replaceAll('/home/user/project', cwd))
    return path
  }
  const find = async (...words: readonly string[]) => {
    const { stdout } = await user.run(['search', ...words, '--source', 'message', '--json'])
    const found = JSON.parse(stdout) as readonly { source_path: string }[]
    return [...new Set(found.map((one) => one.source_path))].toSorted()
  }
  const load = (...words: readonly string[]) => user.json<Imported>(['import', ...words])
  /** One hook of the client. */
  const hook = (session_id: string, event: string, more: object = {}) =>
    user.run(['hook', 'claude-code', '--limit', '60000'], {
      input: JSON.stringify({ session_id, cwd: user.project, hook_event_name: event, ...more }),
    })
  const home = user.env['HOLDFAST_HOME'] ?? ''
  return { user, put, find, load, hook, home }
}

/** One prompt with its answer, as the client writes them. */
export function turn(prompt: string, answer: string, at = 1): string {
  const line = (type: 'user' | 'assistant', text: string, more: number) =>
    `${JSON.stringify({
      type,
      isSidechain: false,
      cwd: '/home/user/project',
      uuid: `${type}-${at}`,
      timestamp: new Date(Date.UTC(2026, 0, 1) + at * 60_000 + more).toISOString(),
      message: { role: type, content: type === 'user' ? text : [{ type: 'text', text }] },
    })}\n`
  return line('user', prompt, 0) + line('assistant', answer, 1)
}

/** The files below a folder that hold one of these words, in any case; nobody may have them open. */
export function filesWith(folder: string, words: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .filter((path) => {
      const text = readFileSync(path).toString('latin1').toLowerCase()
      return words.some((word) => text.includes(word.toLowerCase()))
    })
}
