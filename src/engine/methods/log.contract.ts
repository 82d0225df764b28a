import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repository } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'

/** What the log of an effort promises, on any database. */
export function logContract(world: () => World): void {
  describe('the log of an effort', () => {
    test('is one file with one name, with the time of each entry', async () => {
      const { dir, start, log } = await repository(world())
      const started = await start()
      const first = await log('Tests pass')
      expect(first).toMatchObject({ effort_id: started.id, path: join(dir, '1_IMPLEMENT_LOG.md'), offset: 0 })
      await log('## Found it\n\nIt was the clock.\n')
      await log('## [yesterday] Kept\nas it is')
      const text = await readFile(first.path, 'utf8')
      expect(text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'T')).toBe(
        '\n## [T] Tests pass\n\n## [T] Found it\n\nIt was the clock.\n\n## [yesterday] Kept\n\nas it is\n',
      )
      expect(text).toContain(first.at.slice(0, 10))
      const again = await start()
      expect(again).toMatchObject({ log: first.path, artifacts: [first.path] })
    })

    test('is listed with the records when the effort is resumed', async () => {
      const { put, start, go, log } = await repository(world())
      const { id } = await start()
      const { path } = await log('Seen')
      const report = await put('src/report.md', 'All of it.')
      await world().call('artifact.put', { effort_id: id, name: 'report', path: report })
      const on = await go({ native_id: world().name('native') })
      expect(on.artifacts).toEqual([path, report])
      expect(on.markdown).toContain(report)
    })

    test('is never a link to another file', async () => {
      const { put, start, log } = await repository(world())
      const { log: path } = await start()
      const other = await put('tasks/other/1_IMPLEMENT_LOG.md', 'theirs')
      await symlink(other, path)
      expect(await failure(log('x'))).toMatchObject({ code: 'forbidden', field: 'path' })
      expect(await readFile(other, 'utf8')).toBe('theirs')
    })

    test('does not bring back a checkout that was removed', async () => {
      const { project, start, log } = await repository(world())
      const { id } = await start()
      await rm(project, { recursive: true })
      expect(await failure(log('x', { effort_id: id, cwd: '/' }))).toMatchObject({
        code: 'not-found',
        message: `Effort ${id} worked in ${project}, which no longer exists.`,
      })
      expect(existsSync(project)).toBe(false)
    })

    test('is in no other project, even if its task folder becomes a link', async () => {
      const { dir, start, log } = await repository(world())
      const other = await repository(world())
      await other.start()
      const { id: effort_id } = await start()
      const entry = () => log('x', { dir: undefined, effort_id })
      const moved = `${dir}-moved`
      await rename(dir, moved)
      await symlink(other.dir, dir)
      expect(await failure(entry())).toMatchObject({ code: 'forbidden', field: 'path' })
      expect(await readdir(other.dir)).toEqual([])
      await rm(dir)
      await symlink(moved, dir)
      expect(await entry()).toMatchObject({ path: join(moved, '1_IMPLEMENT_LOG.md') })
    })

    // Defect 33 of the originals: two places derived the path, with different results.
    test('has one name for every caller and every skill name', async () => {
      const { dir, put, start, go, log } = await repository(world())
      const named = '---\nname: code-review\ndescription: Reviews.\n---\n'
      await put('.claude/skills/code-review/SKILL.md', named)
      const started = await start({ skill: 'code-review' })
      const { path } = await log('Seen')
      const on = await go({ native_id: world().name('native') })
      const debrief = await put('tasks/login/1_CODE_REVIEW.md', 'Done.')
      expect([started.log, path, on.log]).toEqual(Array(3).fill(join(dir, '1_CODE_REVIEW_LOG.md')))
      await world().call('db.effort.finish', { effort_id: started.id, abandon: 'no longer needed' })
      expect(await start()).toMatchObject({ prior_efforts: [{ debrief }], artifacts: [debrief, path] })
    })

    // Defect 34 of the originals: an entry counted as another call without an entry.
    test('resets the count of tool calls without an entry, and counts none itself', async () => {
      const { native, hook, start, log } = await repository(world())
      const { session } = await start({ native_id: native })
      for (let call = 0; call < 4; call++)
        await hook('PreToolUse', {
          tool_name: 'Bash',
          tool_input: { command: 'ls' },
          tool_use_id: `c${call}`,
        })
      const seen = async () => (await world().session(session.id)).heartbeat_counter
      expect(await seen()).toBe(4)
      await log('Still here', { native_id: native })
      expect(await seen()).toBe(0)
      await world().everything()
      expect(await seen()).toBe(0)
    })

    test('never mixes concurrent entries', async () => {
      const { start, log } = await repository(world())
      const { log: path } = await start()
      const bodies = Array.from({ length: 12 }, (_, index) => index.toString(16).repeat(20_000))
      await Promise.all(
        bodies.map((body, index) =>
          log(`Entry\n\n${body}`, index % 2 === 0 ? {} : { idempotency_key: world().name('key') }),
        ),
      )
      const entries = (await readFile(path, 'utf8')).split(/^## .*$/m).slice(1)
      expect(entries.map((entry) => entry.trim()).toSorted()).toEqual(bodies.toSorted())
    })

    test('belongs to the session or agent that writes, and several matches are an error', async () => {
      const { dir, native, project, start, log } = await repository(world())
      const agent_id = await world().agent()
      const [mine, theirs] = [await start({ native_id: native }), await start({ agent_id })]
      expect((await log('x', { native_id: native })).effort_id).toBe(mine.id)
      expect((await log('x', { agent_id })).effort_id).toBe(theirs.id)
      const refused = await failure(log('x'))
      expect(refused).toMatchObject({ code: 'conflict', field: 'effort_id' })
      expect(refused.message).toContain(`${mine.id} (implement, ${dir})`)
      await world().call('db.effort.finish', { effort_id: mine.id, abandon: 'no longer needed' })
      // A session that has finished its effort does not mean the efforts of others.
      expect(await failure(log('x', { native_id: native }))).toMatchObject({ code: 'conflict' })
      expect((await log('x', { effort_id: mine.id })).path).toBe(mine.log)
      expect((await log('x')).effort_id).toBe(theirs.id)
      const inside = { dir: undefined, cwd: join(dir, 'deep') }
      expect((await log('x', inside)).effort_id).toBe(theirs.id)
      expect((await log('x', { dir: undefined, cwd: project })).effort_id).toBe(theirs.id)
    })

    test('of an unregistered agent is refused, with the command that registers it', async () => {
      const { start, log } = await repository(world())
      const { id } = await start()
      const agent_id = world().name('agent')
      const unknown = { code: 'not-found', field: 'agent_id', hint: `holdfast agent register ${agent_id}` }
      expect(await failure(log('x', { agent_id }))).toMatchObject(unknown)
      expect(await failure(log('x', { agent_id, effort_id: id }))).toMatchObject(unknown)
      await world().call('db.agents.register', { id: agent_id })
      expect((await log('x', { agent_id })).effort_id).toBe(id)
    })

    test('without a text, or of the ad-hoc effort, is refused', async () => {
      const { dir, start, log } = await repository(world())
      expect(await failure(log('x'))).toMatchObject({ code: 'not-found' })
      const { id } = await start()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'no longer needed' })
      expect(await failure(log('x'))).toMatchObject({ code: 'not-found', field: 'dir' })
      for (const text of ['', '  \n', '##  \n'])
        expect(await failure(log(text, { effort_id: id }))).toMatchObject({ code: 'invalid', field: 'text' })
      const [adHoc] = await world().call('db.effort.list', { task_id: dir, ad_hoc: true })
      expect(await failure(log('x', { effort_id: adHoc.id }))).toMatchObject({ code: 'conflict' })
      expect(existsSync(join(dir, '0_DO_LOG.md'))).toBe(false)
    })

    test('goes to the effort of the first call when it is repeated, whatever effort is active then', async () => {
      const { start, log } = await repository(world())
      const first = await start()
      const idempotency_key = world().name('key')
      const written = await log('Once', { idempotency_key })
      await world().call('db.effort.finish', { effort_id: first.id, abandon: 'no longer needed' })
      await start()
      expect(await log('Once', { idempotency_key })).toEqual(written)
      expect((await readFile(first.log, 'utf8')).match(/Once/g)).toHaveLength(1)
    })
  })
}
