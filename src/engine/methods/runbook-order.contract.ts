import { describe, expect, test } from 'vitest'
import { clientIn, skillOf } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { AUTH, compiledRunbook, runbookOf } from './runbook.contract.ts'

/** What must be in order before a step of a runbook is handed out, on any database. */
export function runbookOrderContract(world: () => World): void {
  const made = (text?: string) => compiledRunbook(world(), text === undefined ? {} : { text })
  /** Hands out the next step and reports it as done. */
  const doNext = async (it: Awaited<ReturnType<typeof made>>) => {
    const { step } = await it.next()
    return await it.done(step)
  }

  describe('what must be in order before', () => {
    test.each([
      ['a folder without a runbook', 'There', undefined],
      ['a runbook with errors', '# No steps\n', 'holdfast runbook check'],
    ])('%s begins nothing', async (_, text, hint) => {
      const it = await made()
      await (hint === undefined ? it.remove('runbook.md') : it.write(text))
      expect(await failure(it.next())).toMatchObject({
        hint: expect.stringContaining('holdfast runbook check'),
      })
      expect(await failure(it.status())).toMatchObject({ code: 'not-found' })
    })

    test('a runbook that is not compiled names the command', async () => {
      const it = await made()
      await it.write(AUTH.replace('Do part 1.1', 'Do it'))
      const outdated = { code: 'conflict', hint: `holdfast runbook compile ${it.folder}` }
      expect(await failure(it.next())).toMatchObject({
        ...outdated,
        message: expect.stringContaining('edited since'),
      })
      await it.remove('compiled')
      expect(await failure(it.next())).toMatchObject({
        ...outdated,
        message: expect.stringContaining('not compiled'),
      })
      await it.compile()
      expect(await it.next()).toMatchObject({ step: 'step-1-1', title: 'Do it' })
    })

    test('a step whose file is gone is not handed out', async () => {
      const it = await made()
      await it.next()
      await it.remove('steps')
      expect(await failure(it.next())).toMatchObject({
        code: 'refused',
        hint: expect.stringContaining('runbook compile'),
      })
    })

    test('what the step before left uncommitted is refused with its files, and only that', async () => {
      const it = await made()
      const tree = (...changed: readonly string[]) => ({ tree: { top: it.root, changed } })
      expect(await it.next(tree())).toMatchObject({ step: 'step-1-1', notes: [] })
      expect(await it.next(tree('src/a.ts'))).toMatchObject({ step: 'step-1-1' })
      await it.error('step-1-1', 'execution')
      expect(await it.next(tree('src/a.ts'))).toMatchObject({ model: 'sonnet' })
      await it.done('step-1-1')
      const refused = await failure(it.next(tree('src/a.ts', 'b c.ts')))
      expect(refused).toMatchObject({ code: 'refused', message: expect.stringContaining('src/a.ts, b c.ts') })
      expect(refused?.hint).toBe(
        `git -C ${it.root} add -- src/a.ts 'b c.ts' && git -C ${it.root} commit -m 'step-1-1: Do part 1.1'`,
      )
      expect((await it.states()).slice(0, 2)).toEqual(['step-1-1 completed', 'step-1-2 ready'])
      const reports = [`plans/${it.name}/reports/step-1-1.md`, '.holdfast/runs/x']
      expect(await it.next(tree(...reports))).toMatchObject({ step: 'step-1-2' })
    })

    test('nothing begins before the runbook and what was compiled are committed', async () => {
      const it = await made()
      const runbook = `plans/${it.name}/runbook.md`
      const agent = `.claude/agents/${it.name}-task.md`
      const next = (...changed: readonly string[]) => it.next({ tree: { top: it.root, changed } })
      const own = await failure(next(runbook, `plans/${it.name}/steps`, agent))
      expect(own?.message).toContain(`not committed: ${runbook}, plans/${it.name}/steps, ${agent}. Commit it`)
      expect(own?.hint).toBe(
        `git -C ${it.root} add -- plans/${it.name} ${agent} && git -C ${it.root} commit -m 'Plan ${it.name}'`,
      )
      expect(await failure(next(runbook, 'src/mine.ts'))).toMatchObject({
        message: expect.stringContaining('Ask the user'),
        hint: `git -C ${it.root} status`,
      })
      expect(await failure(it.status())).toMatchObject({ code: 'not-found' })
      expect(await next()).toMatchObject({ step: 'step-1-1', attempt: 1 })
    })

    test('a repository that somebody made around the runbook alone does not hide the rest', async () => {
      const it = await made()
      const tree = { top: it.folder, changed: [] }
      await it.next({ tree })
      await it.done('step-1-1')
      expect(await failure(it.next({ tree }))).toMatchObject({
        code: 'refused',
        message: expect.stringContaining(it.root),
        hint: `git -C ${it.folder} rev-parse --show-toplevel`,
      })
      expect(await it.next({ tree: { ...tree, top: it.root } })).toMatchObject({ step: 'step-1-2' })
    })

    test('outside of git nothing is checked, and that is said once', async () => {
      const it = await made()
      expect((await it.next()).notes).toEqual([expect.stringContaining('not in a git repository')])
      await it.done('step-1-1')
      expect((await it.next()).notes).toEqual([])
    })
  })

  describe('an edited runbook', () => {
    const edit = async (it: Awaited<ReturnType<typeof made>>, text: string) => {
      await it.write(text)
      await it.compile()
    }
    test('is told with the command that compiles it, until it is compiled', async () => {
      const it = await made()
      const { effort } = await it.next()
      const accept = `holdfast effort accept ${effort}`
      await it.write(runbookOf({ '1.1': 'haiku', '1.2': 'opus' }))
      for (let time = 0; time < 2; time++)
        expect((await it.next()).notes).toEqual([
          expect.stringContaining(`holdfast runbook compile plans/${it.name} && ${accept}`),
        ])
      await it.compile()
      const [note] = (await it.next()).notes
      expect(note).toContain(`once the user runs: ${accept}`)
      expect(note).not.toContain('runbook compile')
      await it.write(runbookOf({ '1.1': 'haiku', '1.2': 'sonnet' }))
      expect((await it.next()).notes).toEqual([expect.stringContaining('runbook compile')])
    })

    test('that was compiled without the next step is refused until the user accepts it', async () => {
      const it = await made()
      await doNext(it)
      const { effort: effort_id } = await it.next()
      await edit(it, runbookOf({ '1.1': 'haiku', '1.3': 'opus' }))
      expect(await failure(it.next())).toMatchObject({
        code: 'refused',
        message: expect.stringContaining('edited'),
        hint: `holdfast effort accept ${effort_id}`,
      })
      await world().call('db.effort.accept', { effort_id })
      expect(await it.next()).toMatchObject({ step: 'step-1-3' })
    })

    const MORE = runbookOf({ '1.1': 'haiku', '1.2': 'opus', '1.3': 'opus', '1.4': 'haiku', '2.1': 'haiku' })

    test('changes a running effort only once the user accepts it, with its progress', async () => {
      const it = await made()
      await doNext(it)
      await it.next()
      await it.error('step-1-2', 'execution')
      await edit(it, MORE)
      const kept = await it.next()
      expect(kept).toMatchObject({ step: 'step-1-2', model: 'opus', attempt: 2 })
      expect(kept.notes).toEqual([expect.stringContaining(`holdfast effort accept ${kept.effort}`)])
      expect(await it.states()).not.toContain('step-1-4 waiting')
      const accepted = await world().call('db.effort.accept', { effort_id: kept.effort })
      expect(accepted).toMatchObject({
        added: ['step-1-4'],
        changed: expect.arrayContaining(['step-1-2']),
        steps_kept: ['step-1-1', 'step-1-2'],
        next: [`holdfast runbook next --effort ${kept.effort}`],
      })
      const now = await it.next()
      expect(now).toMatchObject({
        effort: kept.effort,
        step: 'step-1-2',
        attempt: 2,
        resumed: true,
        notes: [],
      })
      await it.done('step-1-2')
      expect((await it.states()).slice(0, 4)).toEqual([
        'step-1-1 completed',
        'step-1-2 completed',
        'step-1-3 ready',
        'step-1-4 waiting',
      ])
      expect(await failure(world().call('db.effort.accept', { effort_id: now.effort }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('does an inserted step next, and nothing twice', async () => {
      const it = await made(runbookOf({ '1.1': 'opus', '1.2': 'opus' }))
      await doNext(it)
      await edit(it, runbookOf({ '1.0': 'opus', '1.1': 'opus', '1.2': 'opus' }))
      const { effort } = await it.status()
      await world().call('db.effort.accept', { effort_id: effort })
      const order: string[] = []
      for (let at = 0; at < 3; at++) {
        const { step } = await it.next()
        order.push(step)
        await it.done(step)
      }
      expect(order).toEqual(['step-1-0', 'step-1-2', 'final-review'])
    })

    test('that has no step that was done names the way to begin anew', async () => {
      const it = await made(runbookOf({ '1.1': 'opus' }))
      const { effort } = await it.next()
      await edit(it, runbookOf({ '2.1': 'opus' }))
      const refused = await failure(world().call('db.effort.accept', { effort_id: effort }))
      expect(refused?.hint).toBe(
        `holdfast effort finish ${effort} --abandon WHY && holdfast runbook next ${it.folder} --again`,
      )
      await world().call('db.effort.finish', { effort_id: effort, abandon: 'it is another one now' })
      const end = 'It was given up before its last step.'
      expect(await it.next()).toMatchObject({ status: 'finished', notes: [end, expect.any(String)] })
      expect(await it.next({ again: true })).toMatchObject({ step: 'step-2-1', attempt: 1 })
    })

    test('that has only new words changes nothing that anybody must accept', async () => {
      const it = await made()
      await it.next()
      await edit(it, AUTH.replace('The secret of 1.1', 'The word of 1.1'))
      expect(await it.next()).toMatchObject({ step: 'step-1-1', notes: [] })
    })

    test('with errors leaves the effort as it is, and cannot be accepted', async () => {
      const it = await made()
      const { effort } = await it.next()
      await it.write('# Nothing\n')
      const told = await it.next()
      expect(told).toMatchObject({
        step: 'step-1-1',
        notes: [expect.stringContaining('holdfast runbook check')],
      })
      expect(await failure(world().call('db.effort.accept', { effort_id: effort }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('and an edited skill of the same name do not touch it', async () => {
      const it = await made()
      const client = clientIn(world(), it.root)
      await client.add('orchestrate', skillOf('orchestrate', { look: 'produces: [view]' }))
      await client.start()
      const { effort } = await it.next()
      await client.add('orchestrate', skillOf('orchestrate', { other: 'produces: [idea]' }))
      const projects: readonly Answer[] = await world().call('db.project.list')
      const project_id = projects.find(({ path }) => path === it.root)?.id
      await world().call('agent.skills.list', { project_id })
      expect(await it.next()).toMatchObject({ effort, step: 'step-1-1' })
      expect((await world().call('step.show', { effort_id: effort })).plan_edit).toBeNull()
    })
  })
}
