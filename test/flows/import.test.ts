import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { User } from '../holdfast.ts'

const CAPTURED = readFileSync('test/transcripts/claude-code.jsonl', 'utf8')
const SESSION = '22222222-2222-4222-8222-222222222222'

interface Imported {
  readonly sessions: Readonly<Record<string, number>>
  readonly messages: number
  readonly left_out: number
  readonly lines: { readonly read: number; readonly not_understood: number; readonly too_long: number }
}

/** A user with a project and transcripts of their client. */
function former() {
  const user = new User()
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
  return { user, put, find, load }
}

describe('an import', () => {
  test('lets a search find what was asked and answered before, and nothing that only a machine wrote', async () => {
    const { put, find, load } = former()
    put(SESSION, CAPTURED)
    expect(await load()).toMatchObject({
      sessions: { imported: 1, recorded: 0, elsewhere: 0 },
      messages: 7,
      left_out: 0,
      lines: { not_understood: 0, too_long: 0 },
    })
    expect(await find('cerulean cache')).toEqual([SESSION])
    expect(await find('magenta')).toEqual([SESSION])
    expect(await find('ochre')).toEqual([SESSION])
    expect(await find('indigo')).toEqual([SESSION])
    for (const unsaid of ['vermilion', 'viridian', 'umber', 'sepia']) expect(await find(unsaid)).toEqual([])
  })
})
