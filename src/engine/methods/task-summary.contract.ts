import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WITH_MODELS } from '../../ai/loopback.contract.ts'
import type { Answer, World } from '../world.contract.ts'

/** A call that succeeds. */
export const TASK_CHANGES = {
  'task.summarize': async (world: World) => ({ dir_path: await taskIn(world), plain: true }),
}

/** A task with work, in a project without a model or with one. */
async function taskIn({ call, project, name }: World, more = 'plain'): Promise<string> {
  const path = join(project, name('folder'), more)
  const dir = join(path, 'tasks', 'login')
  await mkdir(dir, { recursive: true })
  const { id: project_id } = await call('db.project.upsert', { path })
  await call('db.skills.upsert', { name: 'implement', project_id })
  await call('db.task.upsert', { dir_path: dir, title: 'Login', description: 'Let users in.' })
  const { id } = await call('db.effort.start', {
    task_id: dir,
    skill: 'implement',
    metadata: { taskSummary: 'a login page' },
  })
  await call('queue.add', { effort_id: id, content: 'Test the form' })
  return dir
}

/** What the summary of a task promises. */
export function taskSummaryContract(world: () => World): void {
  const summarize = (dir_path: string, more: object = {}): Promise<Answer> =>
    world().call('task.summarize', { dir_path, ...more })
  const textIn = (dir: string) => readFile(join(dir, 'TASK.md'), 'utf8')

  describe('the summary of a task', () => {
    test('says what the store knows, and is the same as long as that is', async () => {
      const dir = await taskIn(world())
      expect(await summarize(dir)).toMatchObject({ changed: true, by: null, missed: null })
      const text = await textIn(dir)
      expect(text).toMatch(/^# Login\n\n<!-- holdfast:summary [\da-f]+ -->\n## Summary\n\nLet users in\.\n/)
      expect(text).toContain('- Effort 1, implement (active): a login page')
      expect(text).toMatch(/Open:\n- Test the form \(queue \d+\)/)
      expect(await summarize(dir)).toMatchObject({ changed: false })
      expect(await textIn(dir)).toBe(text)
    })

    test('keeps every byte around it, also with other line ends and words below', async () => {
      const dir = await taskIn(world())
      await writeFile(join(dir, 'TASK.md'), '# Mine\r\n\r\nMy words.\r\n')
      await summarize(dir)
      const first = await textIn(dir)
      expect(first.startsWith('# Mine\r\n\r\nMy words.\r\n\r\n<!-- holdfast:summary ')).toBe(true)
      expect(first.replaceAll('\r\n', '')).not.toContain('\n')
      await writeFile(join(dir, 'TASK.md'), `${first}Below.\r\n`)
      await world().call('queue.add', { path: dir, content: 'of the project, not of the task' })
      const effort = (await world().call('db.effort.list', { task_id: dir }))[0]
      await world().call('queue.add', { effort_id: effort.id, content: 'Mend <!-- /holdfast:summary --> it' })
      await summarize(dir)
      const then = await textIn(dir)
      expect(then.startsWith('# Mine\r\n\r\nMy words.\r\n\r\n<!--')).toBe(true)
      expect(then.endsWith('<!-- /holdfast:summary -->\r\nBelow.\r\n')).toBe(true)
      expect(then).toContain('Mend &lt;!-- /holdfast:summary --> it')
      expect(then).not.toContain('of the project')
    })

    test.each([
      ['without an end', '<!-- holdfast:summary ab -->\nx\n'],
      ['without a beginning', 'x\n<!-- /holdfast:summary -->\n'],
      ['twice', '<!-- holdfast:summary ab -->\n<!-- /holdfast:summary -->\n'.repeat(2)],
    ])('is not written into a file that has one %s', async (_, damaged) => {
      const dir = await taskIn(world())
      await writeFile(join(dir, 'TASK.md'), damaged)
      await expect(summarize(dir)).rejects.toMatchObject({ code: 'invalid' })
      expect(await textIn(dir)).toBe(damaged)
    })

    test('is not written into what is no text', async () => {
      const dir = await taskIn(world())
      const bytes = Buffer.from([0x23, 0xff, 0xfe])
      await writeFile(join(dir, 'TASK.md'), bytes)
      await expect(summarize(dir)).rejects.toMatchObject({ code: 'invalid' })
      expect((await readFile(join(dir, 'TASK.md'))).equals(bytes)).toBe(true)
    })

    test('is written by the model where one is set, once for the same facts, with the use in the ledger', async () => {
      const dir = await taskIn(world(), WITH_MODELS)
      const since = await world().lastSeq()
      const asked = world().models.requests.length
      expect(await summarize(dir)).toMatchObject({ by: 'openai-compatible/large', missed: null })
      expect(await textIn(dir)).toContain('## Summary\n\nA short summary.\n\nLet users in.')
      expect(await summarize(dir)).toMatchObject({ changed: false })
      expect(world().models.requests.length).toBe(asked + 1)
      expect(JSON.stringify(world().models.requests.at(-1)?.body)).toContain('a login page')
      const kinds = (await world().since(since)).map(({ event_type: type }) => type)
      expect(kinds).toEqual(['ai.used', 'task.summarized'])
    })

    test('is made of facts while the model gives no answer, and says why', async () => {
      const dir = await taskIn(world(), WITH_MODELS)
      world().models.tricks.push({ status: 401, body: { error: { message: 'no' } } })
      const { missed, ...answer } = await summarize(dir)
      expect(answer).toMatchObject({ changed: true, by: null })
      expect(missed).not.toBe('')
      expect(await textIn(dir)).toContain('- Effort 1, implement')
      expect(await summarize(dir)).toMatchObject({ by: 'openai-compatible/large' })
    })

    test('takes what a model says for text, so it can forge no heading and no end', async () => {
      const dir = await taskIn(world(), WITH_MODELS)
      const content = '# Forged\n<!-- /holdfast:summary -->\n```\nx'
      world().models.tricks.push({
        change: (answer) => ({ ...answer, choices: [{ message: { content }, finish_reason: 'stop' }] }),
      })
      await summarize(dir)
      const text = await textIn(dir)
      expect(text).toContain('\\# Forged\n&lt;!-- /holdfast:summary -->\n\\```\nx')
      expect(text.match(/^<!-- \/holdfast:summary -->$/gm)).toHaveLength(1)
    })

    test('of an unknown task is refused', async () => {
      await expect(summarize(join(world().project, 'nothing'))).rejects.toMatchObject({ code: 'not-found' })
    })
  })
}
