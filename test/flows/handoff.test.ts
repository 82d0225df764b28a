import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { git } from '../git.ts'
import { User } from '../holdfast.ts'

/** A user with a repository that has one commit. */
async function begun(more: Readonly<Record<string, string>> = {}) {
  const user = new User(more)
  onTestFinished(() => user[Symbol.asyncDispose]())
  const at = (name: string) => join(user.project, name)
  const read = (name = 'agents/session.md') => readFileSync(at(name), 'utf8')
  const put = (name: string, text: string) => writeFileSync(at(name), text)
  const commit = async (words = 'Change') => {
    await git(user.project, 'add', '-A')
    await git(user.project, 'commit', '-q', '-m', words)
  }
  const say = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await user.run(words)
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
    return stdout
  }
  await git(user.project, 'init', '-q', '-b', 'main')
  put('a.txt', 'a')
  await commit('Begin')
  return { user, at, read, put, commit, say }
}

const TOKEN = /#[0-9B-Z]{6}/

describe('tasks of a session file', () => {
  test('go from one session to the next, with a token that leads to where they began', async () => {
    const { user, read, commit, say } = await begun()
    expect(await say('todo')).toContain('holdfast todo add NAME')
    await say('todo', 'add', 'Mend the login', '--command', '/design login', '--model', 'opus', '--restart')
    await say('todo', 'add', 'Ship it', '--worktree', 'ship')
    const dry = await say('todo', 'check', '--dry-run')
    expect(read()).toContain('#PNDNG')
    const said = await say('todo', 'check')
    expect(TOKEN.exec(said)?.[0]).toBe(TOKEN.exec(dry)?.[0])
    expect(said).toMatch(/^agents\/session\.md:5: #\w{6} Mend the login$/m)
    const first = read()
    expect(first).not.toContain('#PNDNG')
    expect(await say('todo', 'check')).toContain('Nothing to do.')
    expect(read()).toBe(first)
    expect((await user.run(['todo', 'context', 'Mend the login'])).stderr).toContain('not in a commit yet')
    await commit('Tasks')
    expect(await say('todo', 'start')).toContain("holdfast todo done 'Mend the login'")
    expect(await say('todo', 'next')).toContain('(in progress)')
    await say('todo', 'done', 'mend')
    await commit('Work')
    await git(user.project, 'mv', 'agents/session.md', 'session.md')
    await commit('Move')
    const token = TOKEN.exec(first)?.[0] ?? ''
    for (const name of ['Mend the login', token, token.slice(1).toLowerCase()]) {
      const found = await user.run(['todo', 'context', name])
      expect(found).toMatchObject({ code: 0, stdout: first })
      expect(found.stderr).toContain('agents/session.md in commit')
    }
    expect(await say('status')).toContain('session.md: no pending task')
  })

  test('keep their names for good, except across a merge', async () => {
    const { user, at, read, put, commit, say } = await begun()
    await say('todo', 'add', 'First')
    await say('todo', 'check')
    await commit()
    const taken = await user.run(['todo', 'add', 'first'])
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('holdfast todo context First') })
    put('agents/session.md', '## In-tree Tasks\n')
    await commit('Empty')
    expect((await user.run(['todo', 'add', 'FIRST'])).stderr).toContain('had a task with the name "First"')
    put('agents/session.md', '## In-tree Tasks\n- [ ] **first** again\n')
    const { code, stdout } = await user.run(['todo', 'check'])
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^agents\/session\.md:2: An earlier commit had a task/),
    ])
    put('agents/session.md', '## In-tree Tasks\n')
    await git(user.project, 'checkout', '-q', '-b', 'other')
    await say('todo', 'add', 'Second')
    await say('todo', 'check', '--stage')
    await commit()
    const other = read()
    await git(user.project, 'checkout', '-q', 'main')
    put('b.txt', 'b')
    await commit()
    await git(user.project, 'merge', '-q', '--no-commit', '--no-ff', 'other')
    expect(read()).toBe(other)
    expect(await say('todo', 'check')).toContain('no problem')
    await commit('Merge')
    renameSync(at('agents/session.md'), at('session.md'))
    expect(await say('todo', 'check')).toContain('no problem')
  })

  test('are checked before each commit by a hook of git, which gets their tokens too', async () => {
    const { user, at, read, put, commit, say } = await begun()
    mkdirSync(at('.git/hooks'), { recursive: true })
    put(
      '.git/hooks/pre-commit',
      `#!/bin/sh\nexport ${Object.entries({ ...user.env, PATH: undefined })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}='${value ?? ''}'`)
        .join(' ')}\nexec '${user.holdfast}' todo check --stage\n`,
    )
    chmodSync(at('.git/hooks/pre-commit'), 0o755)
    await say('todo', 'add', 'Mend it')
    await commit()
    expect(read()).toMatch(TOKEN)
    await git(user.project, 'diff', '--exit-code', 'HEAD')
    put('agents/session.md', `${read()}- [?] **Mend it**\n`)
    await expect(commit()).rejects.toThrow(/agents\/session\.md:6: .*\n.*agents\/session\.md:6:/)
  })

  test('of a link are those of the page that it leads to, for git too', async () => {
    const { user, at, put, commit, say } = await begun()
    put('notes.md', '# Session Handoff: 2026-03-01\n')
    mkdirSync(at('agents'), { recursive: true })
    symlinkSync('../notes.md', at('agents/session.md'))
    await say('todo', 'add', 'Mend it')
    await commit()
    await say('todo', 'check', '--stage')
    await git(user.project, 'diff', '--exit-code')
    await commit()
    expect(await say('todo', 'check')).toContain('no problem')
    expect((await user.run(['todo', 'context', 'Mend it'])).stdout).toContain('**Mend it** #PNDNG')
  })

  test('are not staged in a commit of named files, whose index git throws away', async () => {
    const { user, at, commit, say } = await begun()
    await say('todo', 'add', 'First')
    await commit()
    await say('todo', 'check', '--stage')
    await commit()
    await say('todo', 'add', 'Mend it')
    const index = at('.git/next-index-7.lock')
    copyFileSync(at('.git/index'), index)
    const hook = () => user.run(['todo', 'check', '--stage'], { env: { ...user.env, GIT_INDEX_FILE: index } })
    const { code, stdout } = await hook()
    expect([code, stdout]).toEqual([1, expect.stringContaining('repeat the commit')])
    expect(readFileSync(index)).toEqual(readFileSync(at('.git/index')))
    expect((await hook()).code).toBe(0)
  })

  test('that hands have damaged are named with file, line and fix', async () => {
    const { user, put, say } = await begun()
    await say('todo', 'add', 'Mend it')
    await say('learn', 'When it rains', 'Wait.')
    put('agents/session.md', '## In-tree Tasks\n- [ ] **Mend it\n- [ ] **When it rains**\n```\n')
    put('agents/learnings.md', '## one two three four five six seven eight\n')
    const { code, stdout } = await user.run(['todo', 'check'])
    expect(code).toBe(1)
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(' ', 1)[0]),
    ).toEqual(['agents/session.md:2:', 'agents/session.md:4:', 'agents/learnings.md:1:'])
    expect((await user.run(['todo', 'add', 'New'])).stderr).toContain('agents/session.md:4:')
    put('agents/learnings.md', '')
    put('agents/session.md', '## In-tree Tasks\n-[ ] **Mend it**\n- [ ] **Ship it** #pndng\n')
    expect((await user.run(['todo', 'check'])).stdout).toBe(
      [
        'agents/session.md:2: This task has no blank behind its -, so it is no item of a list. Write: - [ ] **Mend it**',
        'agents/session.md:3: The token #pndng is not in capitals. Write #PNDNG in its place.',
        '',
      ].join('\n'),
    )
  })
})

describe('a handoff', () => {
  test('is one document on stdin, or words, and is shown to the next session', async () => {
    const { user, read, put, say } = await begun()
    mkdirSync(join(user.project, 'plans/mail'), { recursive: true })
    put('plans/mail/design.md', 'D')
    expect(await say('handoff')).toContain('holdfast todo add')
    const document =
      '**Status:** Half way\n\n## Completed This Session\n- It\n\n## In-tree Tasks\n- [ ] **Mend it** — `/mend`\n- [ ] **Ship it**\n'
    const { code, stderr } = await user.run(['handoff', 'write'], { input: document })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await say('handoff')).toMatch(
      /Status: Half way\n\nNext: Mend it\n {2}\/mend\n {2}Model: sonnet \| Restart: no\n\nPending:\n- Ship it\n\nUnscheduled plans:\n- mail: designed, then \/plan-adhoc plans\/mail\n\nParallel \(2 tasks, independent\):/,
    )
    await say(
      'handoff',
      'write',
      '--next',
      '- More',
      '--blocker',
      'Rain',
      '--blocker',
      'Snow',
      '--learn',
      'When it rains: Wait.',
    )
    expect(read()).toMatch(/- Rain\n- Snow\n\n## Next Steps\n\n- More\n$/)
    expect(read('agents/learnings.md')).toContain('## When it rains\n\nWait.\n')
    const before = read()
    const damaging = await user.run(['handoff', 'write', '--completed', '# Mine'])
    expect(damaging).toMatchObject({ code: 64, stderr: expect.stringContaining('Use ###') })
    const [{ digest }, later] = [await user.json<{ digest: string }>(['handoff']), `${before}mine\n`]
    put('agents/session.md', later)
    const late = await user.run(['handoff', 'write', '--status', 'x', '--digest', digest])
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('holdfast handoff') })
    expect(read()).toBe(later)
  })

  test('survives a daemon that is killed, and is the same when it is written again', async () => {
    const { user, read, say } = await begun()
    await say('todo', 'add', 'Mend it')
    const words = [
      'handoff',
      'write',
      '--status',
      'Done',
      '--completed',
      '- It',
      '--learn',
      'When it rains: Wait.',
    ]
    await say(...words)
    const [session, learnings] = [read(), read('agents/learnings.md')]
    const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
    process.kill(pid, 'SIGKILL')
    await say(...words)
    expect([read(), read('agents/learnings.md')]).toEqual([session, learnings])
  })

  test('puts the next command on the clipboard in one line, or says that there is none', async () => {
    const { user, at, say, read } = await begun()
    await say('todo', 'add', 'Mend it', '--command', '/mend "it"', '--model', 'opus', '--restart')
    const env = { PATH: join(user.folder, 'tools'), WAYLAND_DISPLAY: undefined, DISPLAY: ':7' }
    mkdirSync(env.PATH)
    const none = await user.run(['handoff', 'next', '--copy'], { env })
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining('no clipboard is here') })
    writeFileSync(join(env.PATH, 'xclip'), `#!/bin/sh\nexec /bin/cat > '${at('copied')}'\n`, { mode: 0o755 })
    const copied = await user.run(['handoff', 'next', '--copy'], { env })
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringContaining('(by xclip)') })
    expect(copied.stdout).toContain('It needs a new session')
    expect(existsSync(at('copied')) && readFileSync(at('copied'), 'utf8')).toBe('/mend "it"')
    writeFileSync(at('agents/session.md'), read().replace('/mend ', '/mend\r'))
    await user.run(['handoff', 'next', '--copy'], { env })
    expect(readFileSync(at('copied'), 'utf8')).toBe('/mend\\u{d}"it"')
    writeFileSync(at('agents/session.md'), '## In-tree Tasks\n\n- [ ] **Mend it** #PNDNG\n')
    const { stdout } = await user.run(['handoff', 'next'])
    expect(stdout).toMatch(/say to the agent: Mend it\n.* and say that, here or in a new session\.$/m)
  })
})
