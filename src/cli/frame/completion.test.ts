import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commands } from '../commands/index.ts'
import { completionScript, SHELLS } from './completion.ts'

const script = completionScript('bash', commands)

/** What bash offers after these words; the last one is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const quoted = ['holdfast', ...words].map((word) => `'${word}'`).join(' ')
  const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  const text = execFileSync('bash', ['--norc', '-c', `${script}\n${ask}`], { encoding: 'utf8', cwd: '/' })
  return text.split('\n').filter((line) => line !== '')
}

describe('bash', () => {
  test('offers every command by its first word', () => {
    const first = new Set(commands.map(({ name }) => name.split(' ')[0]))
    expect(new Set(offered(''))).toEqual(new Set([...first, 'help']))
  })

  test.each(commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')))(
    'offers %s %s',
    (noun, verb) => {
      expect(offered(noun, verb?.slice(0, 2) ?? '')).toContain(verb)
    },
  )

  test.each([
    ['matching commands', ['da'], ['daemon']],
    ['the verbs of a noun', ['daemon', 'st'], ['start', 'stop', 'status']],
    ['the same after help', ['help', 'daemon', 'ro'], ['rotate-token']],
    ['flags of a command, also after its arguments', ['logs', 'x', '--fo'], ['--follow']],
    ['flags with hyphens', ['session', 'find', '--silent-'], ['--silent-for-seconds']],
    ['flags of all commands', ['logs', '--js'], ['--json']],
    ['commands after a flag', ['--json', 'doc'], ['doctor']],
    ['files if no command matches', ['skill', 'check', '/et'], ['/etc']],
  ])('offers %s', (_, words, expected) => {
    expect(offered(...words).toSorted()).toEqual(expected.toSorted())
  })
})

describe.each(SHELLS)('the completion of %s', (shell) => {
  const text = completionScript(shell, commands)

  test('names every command and every flag for users', () => {
    for (const { name, flags } of commands) {
      const forUsers = Object.keys(flags).filter((flag) => flags[flag]?.advanced !== true)
      for (const word of [...name.split(' '), ...forUsers]) expect(text).toContain(word.replaceAll('_', '-'))
    }
    expect(text).not.toContain('idempotency-key')
  })

  const isHere = spawnSync(shell, ['-c', 'true']).status === 0
  test('is valid in the shell', ({ skip }) => {
    skip(!isHere, `there is no ${shell}`)
    // Fish takes a script only from a file.
    const file = join(mkdtempSync(join(tmpdir(), 'holdfast-completion-')), 'script')
    writeFileSync(file, text)
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    rmSync(dirname(file), { recursive: true })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
