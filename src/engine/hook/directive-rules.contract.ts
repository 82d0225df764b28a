import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../../clients/claude-code/index.ts'
import { look } from './look.ts'
import { type ClientAt, clientAt, contextOf, reasonOf, skillOf } from './client.contract.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

const HARD = '---\nrequired: before-writing\n---\n'
const BRIEF =
  '---\nname: brief\ndescription: Is brief.\n---\n\n```json\n{"directives": ["PITFALLS.md"]}\n```\n'

/** Which directives an agent gets where it works, and when one blocks a write. */
export function directiveRulesContract(world: () => World): void {
  const clientWith = async (files: Readonly<Record<string, string>>) => {
    const it = await clientAt(world())
    await writeFiles(files, it.project)
    await it.start()
    return it
  }
  /** The contexts of a call before it runs. */
  const before = (it: ClientAt, path: string, tool = 'Read', more: object = {}) =>
    it.fire('PreToolUse', {
      tool_name: tool,
      tool_input: { file_path: join(it.project, path), content: '' },
      tool_use_id: world().name('call'),
      ...more,
    })
  const told = async (it: ClientAt, path: string, tool?: string) => contextOf(await before(it, path, tool))

  test('directives of a folder are sent once, nearest first, up to the root', async () => {
    const it = await clientWith({
      'ARCHITECTURE.md': 'Root rule.',
      'a/.directives/AGENTS.md': 'Rule of a.',
      'a/b/x.ts': '',
      'c/AGENTS.md': 'Rule of c.',
    })
    const first = await told(it, 'a/b/x.ts')
    expect(first).toMatch(/Rule of a\.[^]*Root rule\./)
    expect(first).not.toContain('Rule of c')
    expect(await told(it, 'a/b/x.ts')).toBe('')
    expect(await told(it, 'a/y.ts', 'Write')).toBe('')
    const other = await told(it, 'c/z.ts', 'Edit')
    expect(other).toContain('Rule of c.')
    expect(other).not.toContain('Root rule')
    const [window] = await it.windows()
    const said = await it.rows(
      `select payload from life_event where event_type = 'directive.told' and window_id = ${window?.id}`,
    )
    expect(said).toHaveLength(2)
  })

  test('a checklist that was told must be processed by the effort of the session', async () => {
    const it = await clientWith({ 'a/CHECKLIST.md': '- [ ] Run the tests\n', 'a/x.ts': '' })
    await it.add('listed', {
      'SKILL.md':
        '---\nname: listed\ndescription: Lists.\n---\n\n```json\n{"phases": [{"label": "1", "name": "Do"}], "directives": ["CHECKLIST.md"]}\n```\n',
    })
    await it.prompt('/listed')
    const [effort] = await it.efforts()
    const check = async () =>
      (await world().call('db.effort.validate', { effort_id: effort?.id })).checks.find(
        (one: Answer) => one.check === 'checklists',
      )
    expect(await check()).toMatchObject({ pass: true })
    expect(await told(it, 'a/x.ts')).toContain('Run the tests')
    const path = join(it.project, 'a/CHECKLIST.md')
    expect((await world().call('db.effort.get', { effort_id: effort?.id })).discovered_directives).toEqual([
      path,
    ])
    expect(await check()).toMatchObject({ pass: false, findings: [{ file: path, line: 1 }] })
    await writeFiles({ '1_LISTED_CHECKLIST.md': '- [x] Run the tests\n' }, effort?.task_id)
    expect(await check()).toMatchObject({ pass: true })
    await rm(join(effort?.task_id, '1_LISTED_CHECKLIST.md'))
    await rm(path)
    expect(await check()).toMatchObject({ pass: true })
  })

  test('a checklist that was told to an earlier effort of the session is found by the next one, where it works', async () => {
    const it = await clientWith({ 'a/CHECKLIST.md': '- [ ] Run the tests\n', 'a/x.ts': '', 'b/x.ts': '' })
    await it.add('listed', {
      'SKILL.md':
        '---\nname: listed\ndescription: Lists.\n---\n\n```json\n{"phases": [{"label": "1", "name": "Do"}], "directives": ["CHECKLIST.md"]}\n```\n',
    })
    const path = join(it.project, 'a/CHECKLIST.md')
    const found = async () => {
      const effort_id = (await it.efforts()).at(-1)?.id
      return (await world().call('db.effort.get', { effort_id })).discovered_directives
    }
    await it.prompt('/listed one thing')
    expect(await told(it, 'a/x.ts')).toContain('Run the tests')
    await it.prompt('/listed another thing')
    await told(it, 'b/x.ts')
    expect(await found()).toEqual([])
    const seq = await world().lastSeq()
    expect(await told(it, 'a/x.ts')).toBe('')
    expect(await found()).toEqual([path])
    const { checks } = await world().call('db.effort.validate', {
      effort_id: (await it.efforts()).at(-1)?.id,
    })
    expect(checks.find((one: Answer) => one.check === 'checklists')).toMatchObject({
      pass: false,
      findings: [{ file: path, line: 1 }],
    })
    // It is not sent again, so the ledger does not say so.
    expect((await world().since(seq)).map(({ event_type }) => event_type)).not.toContain('directive.told')
  })

  test.each(['cat a/x.ts', 'grep -rn rule a', 'grep -n rule a/*.ts', 'cd a && head -3 x.ts | wc -l'])(
    'a shell command that only reads sends directives too: %s',
    async (command) => {
      const it = await clientWith({ 'a/AGENTS.md': 'Rule of a.', 'a/x.ts': '', 'c/AGENTS.md': 'Rule of c.' })
      const run = async () =>
        contextOf(await it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command } }))
      const first = await run()
      expect(first).toContain('Rule of a.')
      expect(first).not.toContain('Rule of c.')
      expect(await run()).toBe('')
    },
  )

  test('concurrent calls send a directive once', async () => {
    const it = await clientWith({ 'ARCHITECTURE.md': 'Only once.' })
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => told(it, `f${n}.ts`)))
    expect(answers.filter((text) => text.includes('Only once.'))).toHaveLength(1)
  })

  test('a resumed context keeps its directives, a compacted one does not', async () => {
    const it = await clientWith({ 'ARCHITECTURE.md': 'Remember.' })
    expect(await told(it, 'x.ts')).toContain('Remember.')
    await it.fire('SessionEnd', { reason: 'other' })
    await it.start('resume')
    expect(await told(it, 'x.ts')).toBe('')
    await it.start('compact')
    expect(await told(it, 'x.ts')).toContain('Remember.')
  })

  test('sub-agents get no directives, and none counts as sent', async () => {
    const it = await clientWith({ 'ARCHITECTURE.md': 'For the main thread.' })
    const sub = { agent_id: 'sub', agent_type: 'helper' }
    expect(contextOf(await before(it, 'x.ts', 'Read', sub))).toBe('')
    expect(await told(it, 'x.ts')).toContain('For the main thread.')
  })

  test('a directive that was read, or is being read, is not sent', async () => {
    const it = await clientWith({ 'INVARIANTS.md': 'Read by itself.', 'COMMANDS.md': 'Told.' })
    const reading = await it.read(join(it.project, 'INVARIANTS.md'))
    expect(contextOf(reading)).toBe('')
    const next = await told(it, 'x.ts')
    expect(next).not.toContain('Read by itself.')
  })

  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['AGENTS.md, which the client loads if there is no CLAUDE.md', { 'AGENTS.md': 'Agents.' }, false],
    ['AGENTS.md beside a CLAUDE.md', { 'AGENTS.md': 'Agents.', 'CLAUDE.md': 'Claude.' }, true],
    ['AGENTS.md that CLAUDE.md imports', { 'AGENTS.md': 'Agents.', 'CLAUDE.md': 'See @AGENTS.md' }, false],
    ['AGENTS.md that is CLAUDE.md', { 'AGENTS.md': '->CLAUDE.md', 'CLAUDE.md': 'Agents.' }, false],
    ['AGENTS.md in .directives', { '.directives/AGENTS.md': 'Agents.' }, true],
  ])('a directive that the client loads itself is not sent: %s', async (_, files, tells) => {
    const it = await clientWith(files)
    expect((await told(it, 'x.ts')).includes('Agents.')).toBe(tells)
  })

  describe('a type that a skill declares', () => {
    const declaring = async (files: Readonly<Record<string, string>> = {}) => {
      const it = await clientAt(world())
      await it.add('tester', {
        ...skillOf('tester'),
        'holdfast.yaml': 'directives: [TESTING, ../x, AGENTS]\n',
      })
      await it.add('brief', { ...skillOf('brief'), 'SKILL.md': BRIEF })
      for (const [name, text] of Object.entries({
        'TESTING.md': 'Test it.',
        'PITFALLS.md': 'Mind.',
        ...files,
      }))
        await writeFile(join(it.project, name), text)
      await it.start()
      return it
    }

    test('is sent once while that skill is active, and not while another is', async () => {
      const it = await declaring()
      expect(await told(it, 'a.ts')).toBe('')
      await it.prompt('/tester')
      expect(await told(it, 'a.ts')).toMatch(/Test it\.$/)
      expect(await told(it, 'b.ts')).toBe('')
      await it.prompt('/brief')
      expect(await told(it, 'a.ts')).toMatch(/^Holdfast: directive [^]*Mind\.$/)
    })

    test('is sent in an effort of that skill, even if it was not called in this session', async () => {
      const it = await declaring()
      await it.add('flow', { 'holdfast.yaml': 'directives: TESTING.md\n' })
      const effort = { dir: it.project, skill: 'flow', native_id: it.session, client: 'claude-code' }
      await it.prompt('/plain')
      expect(await told(it, 'a.ts')).toBe('')
      await world().call('commands.effort.start', effort)
      expect(await told(it, 'a.ts')).toContain('Test it.')
    })

    test('can be required before a write, by that skill only', async () => {
      const it = await declaring({ 'TESTING.md': `${HARD}Test first.` })
      expect((await before(it, 'a.ts', 'Edit')).decision).toBe('allow')
      await it.prompt('/tester')
      expect((await before(it, 'a.ts', 'Edit')).decision).toBe('block')
      expect(contextOf(await before(it, 'a.ts', 'Edit'))).toContain('Test first.')
    })
  })

  test('the disk is not read again at every call', async () => {
    const it = await clientWith({ 'INVARIANTS.md': 'First.' })
    const { context } = world()
    let [asked, now] = [0, 0]
    const kind = (path: string) => {
      asked++
      return context.files.kind(path)
    }
    const counted = { ...context, files: { ...context.files, kind }, clock: { now: () => now } }
    const types = async () => {
      const payload = {
        session_id: it.session,
        hook_event_name: 'PreToolUse',
        tool_name: 'Read',
        tool_input: { file_path: join(it.project, 'x.ts') },
      }
      const { directives } = await look(counted, claudeCode, claudeCode.decode(payload))
      return directives.map(({ type }) => type)
    }
    expect(await types()).toEqual(['INVARIANTS'])
    const first = asked
    await writeFile(join(it.project, 'COMMANDS.md'), 'Second.')
    expect([await types(), asked]).toEqual([['INVARIANTS'], first])
    now += 60_000
    expect(await types()).toEqual(['INVARIANTS', 'COMMANDS'])
  })

  describe('a directive that must be read before writing', () => {
    test('refuses a write once, with its path and what to do', async () => {
      const it = await clientWith({ 'a/INVARIANTS.md': `${HARD}No tabs.` })
      const refused = await before(it, 'a/x.ts', 'Write')
      expect([refused.decision, reasonOf(refused)]).toEqual([
        'block',
        expect.stringContaining(`Next: read ${join(it.project, 'a/INVARIANTS.md')}, then repeat`),
      ])
      const again = await before(it, 'a/x.ts', 'Write')
      expect([again.decision, contextOf(again)]).toEqual(['allow', expect.stringContaining('No tabs.')])
    })

    test('does not refuse an agent that has read it or received it', async () => {
      const it = await clientWith({ 'a/INVARIANTS.md': `${HARD}A.`, 'b/INVARIANTS.md': `${HARD}B.` })
      await it.read(join(it.project, 'a/INVARIANTS.md'))
      expect((await before(it, 'a/x.ts', 'Edit')).decision).toBe('allow')
      expect(await told(it, 'b/x.ts')).toContain('B.')
      expect((await before(it, 'b/x.ts', 'Edit')).decision).toBe('allow')
      expect((await before(it, 'elsewhere.ts', 'Edit')).decision).toBe('allow')
    })

    test('is required if only its name was sent, because it is long', async () => {
      const it = await clientWith({ 'a/INVARIANTS.md': `${HARD}${'x'.repeat(20_000)}` })
      const path = join(it.project, 'a/INVARIANTS.md')
      expect(await told(it, 'a/x.ts')).toContain(`Read it: ${path}`)
      expect((await before(it, 'a/x.ts', 'Edit')).decision).toBe('block')
      await it.read(path)
      expect((await before(it, 'a/x.ts', 'Edit')).decision).toBe('allow')
    })

    test.each([
      'echo x > a/x.ts',
      'cat .directives/x | tee a/new/deep/x.ts',
      `sed -i s/a/b/ a/x.ts`,
      'cp README.md a',
      'cd a && rm -f *.ts',
      'cat a/x.md > a/x.ts',
      'cp README.md linked/x.ts',
    ])('refuses a shell command that writes in its folder: %s', async (command) => {
      const it = await clientWith({
        'a/INVARIANTS.md': `${HARD}A.`,
        'a/x.ts': '',
        linked: `->a`,
      })
      const run = () => it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command } })
      const refused = await run()
      expect([refused.decision, reasonOf(refused)]).toEqual([
        'block',
        expect.stringContaining(join(it.project, 'a/INVARIANTS.md')),
      ])
      const again = await run()
      expect([again.decision, contextOf(again)]).toEqual(['allow', expect.stringContaining('A.')])
    })

    test('allows a shell command that writes elsewhere, has read it, or has unknown writes', async () => {
      const it = await clientWith({ 'a/INVARIANTS.md': `${HARD}A.`, 'b/INVARIANTS.md': `${HARD}B.` })
      const run = (command: string, cwd = it.project) =>
        it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, cwd })
      expect((await run('echo x > c.ts; echo y > /dev/null')).decision).toBe('allow')
      expect((await run('cat a/INVARIANTS.md && echo x > a/x.ts')).decision).toBe('allow')
      const seq = await world().lastSeq()
      const unsure = await run('echo x > "$OUT"', join(it.project, 'b'))
      expect([unsure.decision, contextOf(unsure)]).toEqual(['allow', expect.stringContaining('B.')])
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
        'write.unresolved',
        'directive.told',
      ])
    })

    test('is only recorded at level observe', async () => {
      const it = await clientWith({ 'ARCHITECTURE.md': `${HARD}A.` })
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      const answer = await before(it, 'x.ts', 'Write')
      expect([answer.decision, contextOf(answer)]).toEqual(['allow', ''])
    })

    test('is discovered with kind hard', async () => {
      const it = await clientWith({ 'INVARIANTS.md': HARD, 'COMMANDS.md': `${HARD}${'x'.repeat(20_000)}` })
      const found = await world().call('agent.directives.discover', { path: it.project })
      expect(found.map(({ kind }: { kind: string }) => kind)).toEqual(['hard', 'hard'])
    })
  })
}
