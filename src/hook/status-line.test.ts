import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { readStatusLine, statusLineCommand } from './status-line.ts'

const CLIENT = 'claude-code'
const home = mkdtempSync(join(tmpdir(), "holdfast-line o'clock-"))

afterAll(() => rmSync(home, { recursive: true, force: true }))

const line = (wraps?: string) => statusLineCommand({ client: CLIENT, home, wraps })
const run = (shell: string, command: string, input = '{"session_id":"s"}', env: object = process.env) =>
  spawnSync(shell, ['-c', command], { input, encoding: 'utf8', env: env as NodeJS.ProcessEnv })

describe('a line that wraps another', () => {
  test('knows which, whatever it is', () => {
    fc.assert(
      fc.property(anyString(), (wraps) => {
        expect(readStatusLine(line(wraps), CLIENT)).toEqual({ wraps })
      }),
    )
    for (const wraps of ['', "it's", "'", 'a;holdfast_in=$(cat);b', line('x'), line()])
      expect(readStatusLine(line(wraps), CLIENT)).toEqual({ wraps })
    expect(readStatusLine(line(), CLIENT)).toEqual({ wraps: undefined })
    expect(readStatusLine(line('x'), 'other')).toBeUndefined()
  })

  test.each(['', 'cat', 'holdfast statusline', 'holdfast_line=x;cat'])('is not one of ours: %j', (command) =>
    expect(readStatusLine(command, CLIENT)).toBeUndefined(),
  )

  test.each(['sh', 'bash'])(
    'prints what that one prints, and nothing of its own where no daemon runs: %s',
    (shell) => {
      const cases: Record<string, string> = {
        cat: '{"session_id":"s"}\n',
        "printf '%s' 'no end'": 'no end\n',
        "printf 'a\\n\\n b\\n'": 'a\n\n b\n',
        'read -r one; echo "got $one"': 'got {"session_id":"s"}\n',
        'echo it; exit 3': 'it\n',
        'echo one # and two': 'one\n',
        true: '',
        'if then': '',
        'cd /; exec pwd': '/\n',
      }
      const said = Object.keys(cases).map((wraps) => {
        const { status, stdout } = run(shell, line(wraps))
        return [wraps, status === 0 ? stdout : `exit ${status}`]
      })
      expect(Object.fromEntries(said)).toEqual(cases)
    },
  )

  test('runs it in the shell that the client has chosen, with the errors that it makes', () => {
    const said = (shell: string) => run(shell, line('echo "${BASH_VERSION:+bash}"; echo oh >&2'))
    expect(said('bash')).toMatchObject({ stdout: 'bash\n', stderr: 'oh\n' })
    expect(said('sh').stderr).toBe('oh\n')
  })
})

describe('a line of ours alone prints nothing and ends well', () => {
  test.each(['sh', 'bash'])('where no daemon has ever run: %s', (shell) => {
    expect(run(shell, line())).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })

  test('where neither bash nor curl is there', () => {
    const bin = join(home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(home, 'hook.json'), '{"port":1,"token":"x"}\n')
    writeFileSync(join(bin, 'holdfast'), '#!/bin/sh\necho called\n')
    chmodSync(join(bin, 'holdfast'), 0o755)
    expect(run('/bin/sh', line(), '{}', { PATH: bin })).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })
})
