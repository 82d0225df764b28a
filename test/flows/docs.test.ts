import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ENTRY, User } from '../holdfast.ts'

/** A file that a page shows, or a command of the page with its allowed exit codes. */
type Part =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'command'; readonly line: string; readonly statuses: readonly number[] }

function partsOf(page: string): readonly Part[] {
  const fences = readFileSync(page, 'utf8').matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)
  return [...fences].flatMap(([, language, path, text = '']): Part[] => {
    if (path !== undefined) return [{ kind: 'file', path, text }]
    if (language !== 'sh') return []
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.map((line) => ({ kind: 'command', line, statuses: statusesOf(line) }))
  })
}

/** `exits with N: why` is required; `exits with N while ...` depends on the machine. */
function statusesOf(line: string): readonly number[] {
  const [, status, how] = /\bexits with (\d+)(:| while)/.exec(line) ?? []
  if (status === undefined) return [0]
  return how === ':' ? [Number(status)] : [0, Number(status)]
}

/** A user with only the program, under the name that pages use. */
function newcomer() {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  const bin = join(user.folder, 'bin')
  for (const folder of [bin, join(user.folder, 'user')]) mkdirSync(folder)
  const program = join(bin, 'holdfast')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`)
  chmodSync(program, 0o755)
  const env = { ...user.env, PATH: `${bin}:${user.env['PATH'] ?? ''}` }
  return { project: user.project, env }
}

async function run(line: string, { project, env }: ReturnType<typeof newcomer>) {
  const child = spawn('/bin/sh', ['-c', line], { cwd: project, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.stdin.end()
  const [status] = (await once(child, 'close')) as [number]
  return { status, said }
}

const PAGES = [
  'docs/users.md',
  'docs/skill-authors.md',
  'docs/workflows.md',
  'docs/runbooks.md',
  'docs/handoff.md',
]

test.each(PAGES)('every command of %s does what the page says', async (page) => {
  const user = newcomer()
  const parts = partsOf(page)
  expect(parts.filter(({ kind }) => kind === 'command').length).toBeGreaterThan(5)
  for (const part of parts) {
    if (part.kind === 'file') {
      const file = join(user.project, part.path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, part.text)
      continue
    }
    const { line, statuses } = part
    const { status, said } = await run(line, user)
    expect(statuses, `${line}\n${said}`).toContain(status)
  }
})

test('the README links to each of these pages', () => {
  const readme = readFileSync('README.md', 'utf8')
  for (const page of PAGES) expect(readme).toContain(`(${page})`)
})
