import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClientAt, clientAt, clientIn, contextOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'
import { currentPhase, PROOF, STARTED, stepToDo, TODOS } from '../../rules/told/words.ts'

const HEAD = '---\nname: work\ndescription: Works.\nrequired_todos: [gather-context, Write it]\n---\n\n'
const PHASES = [
  { label: '0', name: 'Setup', proof: ['mode'] },
  { label: '1', name: 'Make', proof: ['tried'] },
  { label: '2', name: 'Ship' },
]

/** The position that a skill of each notation reports, after its first part. */
const NOTATIONS = {
  steps: {
    files: {
      'SKILL.md': `${HEAD}Read the steps.\n`,
      'steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
      'steps/think.md': '---\nconsumes: [view]\nproduces: [idea]\n---\n',
      'steps/do.md': '---\nconsumes: [idea]\n---\n',
    },
    later: 'do',
    advance: async (it: ClientAt) => {
      for (const step of ['look', 'think'])
        await it.read(join(it.project, `.claude/skills/work/steps/${step}.md`))
    },
    stands: (it: ClientAt) => [
      `${STARTED}: think.`,
      'Done: look.',
      `${stepToDo('do', join(it.project, '.claude/skills/work/steps/do.md'))}.`,
    ],
  },
  phases: {
    files: { 'SKILL.md': `${HEAD}\`\`\`json\n${JSON.stringify({ phases: PHASES })}\n\`\`\`\n` },
    later: '2',
    advance: async (_: ClientAt, world: World, effort: number) => {
      await world.call('db.effort.phase', { effort_id: effort, label: '0' })
      await world.call('db.effort.phase', { effort_id: effort, label: '1', proof: { mode: 'tdd' } })
    },
    stands: (_: ClientAt, effort: number) => [
      currentPhase('1: Make'),
      `${PROOF}: tried.`,
      `holdfast step go '2: Ship' --effort ${effort} --proof '{"tried":"____"}'`,
    ],
  },
} as const

/** Every kind of session start recaps everything from the session before. */
export function recapStartsContract(world: () => World): void {
  /** A session with everything that a recap can include. */
  const atWork = async (notation: keyof typeof NOTATIONS) => {
    const { files, later, advance, stands } = NOTATIONS[notation]
    const it = await clientAt(world())
    await it.add('work', files)
    const [file, sketch] = [join(it.project, 'src/login.ts'), join(it.project, 'src/sketch.md')]
    await mkdir(join(it.project, 'src'))
    for (const path of [file, sketch]) await writeFile(path, 'half of it')
    await it.start()
    await it.prompt('/work')
    const id = (await it.efforts())[0]?.id as number
    await advance(it, world(), id)
    await it.read(file)
    await world().call('artifact.put', { effort_id: id, name: 'sketch', path: sketch })
    await world().call('artifact.put', { effort_id: id, name: 'agreement' })
    await world().call('db.effort.approve', { effort_id: id, subject: later, reason: 'no time' })
    await world().call('db.effort.tick', { effort_id: id, item: 'gather-context' })
    await world().call('queue.add', { effort_id: id, content: 'The port is fixed' })
    const payload = { nextSteps: ['Write the other half'], requiredFiles: [file] }
    await world().call('db.effort.dehydrate', { effort_id: id, payload })
    const parts = [
      `effort ${id}`,
      ...stands(it, id),
      `${TODOS}: gather-context (done), Write it.`,
      `holdfast effort tick ${id} 'Write it'`,
      `- sketch: ${sketch}`,
      '- agreement',
      'no time (not used yet)',
      'The port is fixed',
      'Write the other half',
    ]
    return { ...it, id, file, parts }
  }
  type AtWork = Awaited<ReturnType<typeof atWork>>

  /** How the session before ends, and the context of the next one, with the output of its command. */
  const inAnother = (source: string, reason: string) => async (it: AtWork) => {
    await it.fire('SessionEnd', { reason })
    const next = clientIn(world(), it.project)
    const told = contextOf(await next.start(source))
    const [, effort_id] = /: holdfast session continue (\d+)$/m.exec(told) ?? []
    const asked = { effort_id: Number(effort_id), native_id: next.session, client: 'claude-code' }
    return `${told}\n${(await world().call('commands.session.continue', asked)).markdown}`
  }
  const STARTS: Readonly<Record<string, (it: AtWork) => Promise<string>>> = {
    async compact(it) {
      await it.fire('PreCompact', { trigger: 'auto' })
      return contextOf(await it.start('compact'))
    },
    async resume(it) {
      await it.fire('SessionEnd', { reason: 'other' })
      return contextOf(await it.start('resume'))
    },
    startup: inAnother('startup', 'other'),
    clear: inAnother('clear', 'clear'),
    fork: inAnother('fork', 'resume'),
  }

  describe.each(Object.keys(NOTATIONS) as (keyof typeof NOTATIONS)[])('a plan of %s', (notation) => {
    test.each(Object.entries(STARTS))(
      'is in the recap of a session that begins by %s',
      async (source, begin) => {
        const it = await atWork(notation)
        const told = await begin(it)
        expect(it.parts.filter((part) => !told.includes(part))).toEqual([])
        // Only a resumed session still has the files it read.
        expect(told.includes(`- ${it.file}`)).toBe(source !== 'resume')
      },
    )
  })

  test('a session without a skill gets the notes of its own windows only', async () => {
    const it = await clientAt(world())
    await it.start()
    const other = clientIn(world(), it.project)
    await other.start()
    const payload = { summary: 'Only mine' }
    const kept = await world().call('db.effort.dehydrate', { native_id: it.session, payload })
    expect(kept.session_id).toBe((await it.windows())[0].id)
    expect(contextOf(await it.start('compact'))).toContain('Only mine')
    expect(contextOf(await other.start('compact'))).not.toContain('Only mine')
    await it.fire('SessionEnd', { reason: 'other' })
    expect(contextOf(await clientIn(world(), it.project).start())).not.toContain('Only mine')
    const recap = (native_id: string) => world().call('db.effort.recap', { native_id })
    expect((await recap(other.session)).text).not.toContain('Only mine')
    expect(contextOf(await it.start('resume'))).toContain('Only mine')
    expect((await recap(it.session)).text).toContain('Only mine')
  })
}
