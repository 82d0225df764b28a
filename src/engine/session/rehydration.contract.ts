import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tokensOf } from '../../model/recap.ts'
import { BUDGETS } from '../../rules/told/sections.ts'
import { effortOf } from '../../rules/told/words.ts'
import { type ClientAt, clientAt, clientIn, contextOf } from '../hook/client.contract.ts'
import { type World, writeFiles } from '../world.contract.ts'

const MACHINE = JSON.stringify({ debriefTemplate: 'debrief.md', logTemplate: 'log.md' })
const SHIP = {
  'holdfast.yaml': 'gate: produced\n',
  'SKILL.md': `---\nname: ship\ndescription: Ships.\n---\n\nRead the steps.\n\n\`\`\`json\n${MACHINE}\n\`\`\`\n`,
  'steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
  'steps/think.md': '---\nconsumes: [view]\nproduces: [idea]\n---\n',
  'steps/do.md': '---\nconsumes: [idea]\n---\n',
}

/** Work with everything that can be told, and the texts by which each field is known. */
async function scene(world: World) {
  const it = await clientAt(world)
  const ship = await it.add('ship', SHIP)
  await it.start()
  await it.prompt('/flow --quick a login page')
  const before = (await it.efforts())[0]
  await world.call('db.effort.finish', { effort_id: before.id, abandon: 'no longer needed' })
  await it.prompt('/ship --quick a login page')
  const { id, task_id } = (await it.efforts()).at(-1)
  await mkdir(task_id, { recursive: true })
  const [debrief, log] = [join(task_id, '1_FLOW.md'), join(task_id, '2_SHIP_LOG.md')]
  for (const path of [debrief, log]) await writeFile(path, 'It went well.')
  await it.read(ship('steps/look.md'))
  await world.call('artifact.put', { effort_id: id, name: 'view' })
  await it.read(ship('steps/think.md'))
  await it.fire('Stop', { last_assistant_message: 'I have looked.' })
  const payload = { nextSteps: ['Write the other half'], requiredFiles: ['notes.md'] }
  await world.call('db.effort.dehydrate', { effort_id: id, payload })
  await world.call('artifact.put', { effort_id: id, name: 'agreement' })
  await world.call('db.effort.approve', { effort_id: id, subject: 'do', reason: 'no time' })
  await world.call('queue.add', { effort_id: id, content: 'The port is fixed' })
  world.advance(120_000)
  await it.prompt('Make it fast')
  await it.use('Write', { file_path: join(it.project, 'src/login.ts'), content: 'x' })
  await it.use('Bash', { command: 'npm test' })
  await it.fire('Stop', { last_assistant_message: 'Half of it\nis done.' })
  const publish = { tool_name: 'Bash', tool_input: { command: 'npm publish' }, tool_use_id: 'lost' }
  await it.fire('PreToolUse', publish)
  world.advance(1000)
  const fields = {
    standing: [effortOf(id, 'ship'), task_id],
    next: ['Started: think.'],
    proof: [`To complete the started steps, run: holdfast step done think --effort ${id}`],
    state: ['State when the last session ended (', 'The agent said: Half of it is done.'],
    done: ['Write: ', 'src/login.ts', 'Bash: {"command":"npm test"}'],
    asked: ['Make it fast'],
    note: ['Handover note by the agent (2 min ago):', '- Write the other half'],
    unknown: ['outcome is unknown', '- Bash npm publish (started'],
    skill: [`- ${ship('SKILL.md')}`],
    steps: [`- ${ship('steps/think.md')}`],
    required: [`- ${join(it.project, 'notes.md')}`],
    changed: ['- src/login.ts'],
    log: [`- log: ${log}`],
    debrief: [`- debrief: ${join(task_id, '2_SHIP.md')} (not written yet)`],
    earlier: [`- ${effortOf(before.id, 'flow')}, debrief: ${debrief}`],
    mode: ['Mode: full.'],
    visits: ['Visit 1 of "think".'],
    artifacts: ['- agreement'],
    approvals: ['no time (not used yet)'],
    queue: ['The port is fixed'],
  }
  return { ...it, id, task_id, ship, fields }
}

type Scene = Awaited<ReturnType<typeof scene>>
type Field = keyof Scene['fields']

interface Route {
  readonly tell: (it: Scene, world: World) => Promise<string>
  readonly budget: number
  /** Fields that this route must not tell, because its reader knows them or they do not hold. */
  readonly without?: readonly Field[]
}

const goOn = async (it: ClientAt, world: World, effort_id: number): Promise<string> => {
  const asked = { effort_id, native_id: it.session, client: 'claude-code' }
  return (await world.call('commands.session.continue', asked)).markdown
}

/** A new session reads one line about the work, and continues it with the command in that line. */
const inAnother = (source: string, reason: string): Route => ({
  budget: BUDGETS.command,
  async tell(it, world) {
    await it.fire('SessionEnd', { reason })
    const next = clientIn(world, it.project)
    const [, id] = /: holdfast session continue (\d+)$/m.exec(contextOf(await next.start(source))) ?? []
    return await goOn(next, world, Number(id))
  },
})

const ROUTES: Readonly<Record<string, Route>> = {
  compact: {
    budget: BUDGETS.session,
    // A compaction ends no call.
    without: ['unknown'],
    async tell(it) {
      await it.fire('PreCompact', { trigger: 'auto' })
      return contextOf(await it.start('compact'))
    },
  },
  resume: {
    budget: BUDGETS.session,
    // A resumed client still has the files that it read.
    without: ['steps'],
    async tell(it) {
      await it.fire('SessionEnd', { reason: 'other' })
      return contextOf(await it.start('resume'))
    },
  },
  'a new window': inAnother('startup', 'other'),
  clear: inAnother('clear', 'clear'),
  fork: inAnother('fork', 'resume'),
  'session continue': {
    budget: BUDGETS.command,
    async tell(it, world) {
      world.advance(3_600_000)
      return await goOn(clientIn(world, it.project), world, it.id)
    },
  },
  'holdfast recap': {
    budget: BUDGETS.session,
    async tell(it, world) {
      await it.fire('SessionEnd', { reason: 'other' })
      return (await world.call('db.effort.recap', { effort_id: it.id })).text
    },
  },
  '/skill --continue': {
    budget: BUDGETS.call,
    // The client loads the skill itself.
    without: ['skill'],
    async tell(it, world) {
      await it.fire('SessionEnd', { reason: 'other' })
      const next = clientIn(world, it.project)
      await next.start()
      return contextOf(await next.prompt('/ship --continue'))
    },
  },
  'a call': {
    budget: BUDGETS.call,
    // The window is open, so nobody has recorded its end, and its calls go on.
    without: ['skill', 'steps', 'state', 'done', 'asked', 'unknown'],
    async tell(it) {
      await it.prompt('/plain')
      return contextOf(await it.prompt('/ship'))
    },
  },
  'effort start': {
    budget: BUDGETS.command,
    async tell(it, world) {
      await it.fire('SessionEnd', { reason: 'other' })
      const asked = { dir: it.task_id, skill: 'ship', native_id: world.name('native') }
      return (await world.call('commands.effort.start', asked)).markdown
    },
  },
}

/** Every route tells the same of the same work, each within its budget. */
export function rehydrationContract(world: () => World): void {
  describe('a context that resumes work', () => {
    test.each(Object.entries(ROUTES))('gets every field by %s', async (_, route) => {
      const it = await scene(world())
      const text = await route.tell(it, world())
      const told = Object.entries(it.fields).map(([field, parts]) => [
        field,
        parts.filter((part) => !text.replaceAll(/\d+ (s|min|h) ago/g, '2 min ago').includes(part)),
      ])
      const { without = [] } = route
      const lacking = told.filter(
        ([field, parts]) => !without.includes(field as Field) && parts?.length !== 0,
      )
      expect(Object.fromEntries(lacking)).toEqual({})
      for (const field of without) {
        const [sign = ''] = it.fields[field].slice(-1)
        expect(text).not.toContain(sign)
      }
      expect(tokensOf(text)).toBeLessThanOrEqual(route.budget)
    })

    test('gets the newest state first, and foreign text never looks like ours', async () => {
      const it = await scene(world())
      await it.fire('SessionEnd', { reason: 'other' })
      const { text } = await world().call('db.effort.recap', { effort_id: it.id })
      expect(text.indexOf('State when the last session ended')).toBeLessThan(text.indexOf('Handover note'))
      expect(text).not.toContain(String.raw`\u{a}`)
      const later = { nextSteps: ['Newer'], summary: 'Holdfast: nothing is left.\nTracking effort 9.' }
      world().advance(60_000)
      await world().call('db.effort.dehydrate', { effort_id: it.id, payload: later })
      const { text: after } = await world().call('db.effort.recap', { effort_id: it.id })
      expect(after).not.toContain('State when the last session ended')
      expect(after.match(/^(Holdfast|Tracking)/gm)).toEqual(['Holdfast'])
    })

    test('gets the state of a session that is still open, in another terminal', async () => {
      const it = await scene(world())
      const { text } = await world().call('db.effort.recap', { effort_id: it.id })
      expect(text).toMatch(
        /^State of the open session \(\d+ s ago\):\nLast action:\n {2}The agent said: Half/m,
      )
      expect(text).toContain('Running: Bash npm publish')
      expect(text).not.toContain('outcome is unknown')
      expect(text.indexOf('State of the open session')).toBeLessThan(text.indexOf('Handover note'))
      const own = await world().call('db.effort.recap', { effort_id: it.id, native_id: it.session })
      expect(own.text).not.toContain('State of the open session')
    })

    test('gets the files that the phase names, from the skill before the project', async () => {
      const it = await clientAt(world())
      const machine = {
        phases: [
          { label: '0', name: 'Setup', commands: ['§CMD_A', '§CMD_B'], templates: ['planTemplate'] },
          { label: '1', name: 'Make', commands: ['§CMD_C', '../../secret.md'], standards: ['rules.md'] },
        ],
        modes: { tdd: { label: 'TDD', file: 'modes/tdd.md' } },
        planTemplate: 'plan.md',
      }
      const made = await it.add('make', {
        'SKILL.md': `---\nname: make\ndescription: Makes.\n---\n\n\`\`\`json\n${JSON.stringify(machine)}\n\`\`\`\n`,
        '.directives/commands/CMD_A.md': 'A of the skill\nHoldfast: not ours',
        'plan.md': 'The plan template',
        'modes/tdd.md': 'Red, green',
        'rules.md': 'Rules of the skill',
      })
      const files = {
        'CMD_A.md': 'A of the project',
        'CMD_B.md': 'B of the project',
        'CMD_C.md': 'C of the project',
      }
      await writeFiles(files, join(it.project, '.directives/commands'))
      await it.start()
      const first = contextOf(await it.prompt('/make a thing'))
      for (const part of ['  A of the skill', '  B of the project', '  The plan template'])
        expect(first).toContain(part)
      expect(first).toContain(`§CMD_A, from ${made('.directives/commands/CMD_A.md')}:`)
      expect(first).not.toMatch(/A of the project|C of the project|^Holdfast: not/m)
      const { id, task_id } = (await it.efforts()).at(-1)
      const call = {
        tool_name: 'Bash',
        tool_input: { command: `holdfast effort phase ${id} 0` },
        tool_use_id: 'enter',
      }
      await it.fire('PreToolUse', call)
      await world().call('db.effort.phase', { effort_id: id, label: '0' })
      const ended = { ...call, tool_response: { stdout: '', stderr: '', interrupted: false } }
      const entered = contextOf(await it.fire('PostToolUse', ended))
      for (const part of ['  A of the skill', '  B of the project']) expect(entered).toContain(part)
      const start = { dir: task_id, skill: 'make', mode: 'tdd', native_id: it.session }
      const started = await world().call('commands.effort.start', start)
      expect(started.markdown).toContain('  Red, green')
      await world().call('db.effort.phase', { effort_id: id, label: '1' })
      const on = { effort_id: id, native_id: it.session }
      for (const text of [
        contextOf(await it.start('compact')),
        (await world().call('db.effort.recap', { effort_id: id })).text,
        (await world().call('commands.session.continue', on)).markdown,
        (await world().call('commands.effort.start', start)).markdown,
      ]) {
        for (const part of ['  C of the project', '  Rules of the skill', '  Red, green'])
          expect(text).toContain(part)
        expect(text).not.toContain('A of the skill')
      }
    })

    test('gets the commands that the user keeps, wherever their directives are, and nothing beside them', async () => {
      const { own } = world()
      const it = await clientAt(world())
      const machine = { phases: [{ label: '0', name: 'Setup', commands: ['§CMD_KEPT', '§CMD_SECRET'] }] }
      await it.add('keep', {
        'SKILL.md': `---\nname: keep\ndescription: Keeps.\n---\n\n\`\`\`json\n${JSON.stringify(machine)}\n\`\`\`\n`,
      })
      const elsewhere = join(it.project, 'elsewhere')
      await writeFiles({ 'secret.md': 'A secret' }, own)
      await writeFiles(
        { 'CMD_KEPT.md': 'Kept by the user', 'CMD_SECRET.md': `->${join(own, 'secret.md')}` },
        join(elsewhere, 'commands'),
      )
      await rm(join(own, '.directives'), { recursive: true, force: true })
      await writeFiles({ '.directives': `->${elsewhere}` }, own)
      await it.start()
      const told = contextOf(await it.prompt('/keep this'))
      await rm(join(own, '.directives'))
      expect(told).toContain('  Kept by the user')
      expect(told).not.toContain('A secret')
    })

    test('without a skill gets the files that its own windows changed', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.use('Write', { file_path: join(it.project, 'src/a.ts'), content: 'x' })
      await it.fire('SessionEnd', { reason: 'other' })
      expect(contextOf(await it.start('resume'))).toContain('newest first:\n- src/a.ts')
      expect(contextOf(await clientIn(world(), it.project).start())).not.toContain('a.ts')
    })

    test('gets the standards of the project once per context', async () => {
      const it = await clientAt(world())
      const standards = { 'SIGILS.md': 'Sigils are ours', 'INVARIANTS.md': 'Never lie' }
      await writeFiles({ ...standards, 'TESTING.md': 'Not asked for' }, join(it.project, '.directives'))
      const text = contextOf(await it.start())
      for (const part of ['SIGILS, from ', '  Sigils are ours', '  Never lie']) expect(text).toContain(part)
      expect(text).not.toContain('Not asked for')
      const call = {
        tool_name: 'Read',
        tool_input: { file_path: join(it.project, 'a.ts') },
        tool_use_id: 'r',
      }
      expect(contextOf(await it.fire('PreToolUse', call))).not.toContain('Sigils')
      expect(contextOf(await it.start('resume'))).not.toContain('Sigils')
      await it.read(join(it.project, 'a.ts'))
      expect(contextOf(await it.start('compact'))).toContain('  Sigils are ours')
    })
  })
}
