import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inOurVoice } from '../../model/text/voice.ts'
import { changedOnlyFrom } from '../../rules/told/words.ts'
import { type World, writeFiles } from '../world.contract.ts'
import { clientAt, reasonOf, skillOf } from './client.contract.ts'

const TDD = `phases:
  - {label: "1", name: Red, limit: 5, proof: [failing]}
  - {label: "2", name: Green, writes: [src/**]}
  - {label: "3", name: Refactor, next: {ok: end, again: "1"}}
`
const SUB = { agent_id: 'sub', agent_type: 'helper' }

/** What the gate of files that a plan holds back promises, on any database. */
export function writeGateContract(world: () => World): void {
  describe('a plan that says from which step on files may change', () => {
    const begun = async (sidecar = TDD, level = 'enforce') => {
      const it = await clientAt(world())
      await it.add('tdd', { ...skillOf('tdd'), 'holdfast.yaml': sidecar })
      await writeFiles({ 'src/app.ts': 'a', 'test/app.ts': 'b' }, it.project)
      await it.start()
      await world().call('db.project.setLevel', { path: it.project, level })
      await it.prompt('/tdd a login page')
      const id = (await it.efforts()).at(-1)?.id
      const go = (step: string, more: object = {}) =>
        world().call('step.enter', { effort_id: id, step, ...more })
      const write = (path: string, more: object = {}) =>
        it.use('Write', { file_path: join(it.project, path), content: '' }, more)
      const shell = (command: string, more: object = {}) => it.use('Bash', { command }, more)
      return { ...it, id, go, write, shell }
    }

    test('refuses a change before that step, with the command that leads there', async () => {
      const it = await begun()
      await it.go('1')
      const refused = await it.write('src/app.ts')
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toBe(
        `${inOurVoice(changedOnlyFrom('src/app.ts', 'phase "2: Green"', 'it is "1: Red"'))} Replace ____ with what shows it. Next: run holdfast step go '2: Green' --effort ${it.id} --proof '{"failing":"____"}'`,
      )
      expect((await it.write('test/app.ts')).decision).toBe('allow')
      await it.go('2', { proof: { failing: 'the login test' } })
      expect((await it.write('src/app.ts')).decision).toBe('allow')
      await it.go('3')
      expect((await it.write('src/new/other.ts')).decision).toBe('allow')
    })

    test('refuses it too from an effort whose task folder has the files', async () => {
      const it = await begun(
        'phases:\n  - {label: "1", name: Red}\n  - {label: "2", name: Green, writes: ["**"]}\n',
      )
      expect((await it.write('src/app.ts')).decision).toBe('block')
      const [{ task_id }] = await it.efforts()
      expect((await it.use('Write', { file_path: join(task_id, 'a.txt'), content: '' })).decision).toBe(
        'allow',
      )
      const own = { native_id: it.session, client: 'claude-code', cwd: it.project }
      const dir = join(it.project, 'src')
      const { log } = await world().call('commands.effort.start', { dir, skill: 'tdd', ...own })
      expect((await it.write('src/app.ts')).decision).toBe('block')
      expect((await it.use('Write', { file_path: log, content: '' })).decision).toBe('allow')
    })

    test('closes the files again where the plan loops back', async () => {
      const it = await begun()
      await it.go('1')
      await it.go('2', { proof: { failing: 'it' } })
      await it.go('3')
      await it.go('1')
      expect((await it.write('src/app.ts')).decision).toBe('block')
      await it.go('2', { proof: { failing: 'another' } })
      expect((await it.write('src/app.ts')).decision).toBe('allow')
    })

    test('hears of file tools, commands, links and sub-agents', async () => {
      const it = await begun()
      await it.go('1')
      await symlink(join(it.project, 'src'), join(it.project, 'link'))
      const file = join(it.project, 'src/app.ts')
      const edits = [
        it.use('Edit', { file_path: file, old_string: 'a', new_string: 'b' }),
        it.use('NotebookEdit', { notebook_path: join(it.project, 'src/a.ipynb'), new_source: '' }),
        it.use('mcp__filesystem__write_file', { path: file, content: '' }),
        it.shell('echo x > src/app.ts'),
        it.shell(`sed -i s/a/b/ ${file}`),
        it.shell('rm -rf src'),
        it.write('link/app.ts'),
        it.write('src/app.ts', SUB),
        it.shell('echo x > src/app.ts', SUB),
      ]
      expect((await Promise.all(edits)).map(({ decision }) => decision)).toEqual(edits.map(() => 'block'))
      const others = [
        it.shell('cat src/app.ts > out.txt'),
        it.shell('echo x > "$OUT"'),
        it.read(file),
        it.write('test/app.ts', SUB),
        it.use('Write', { file_path: '/elsewhere/src/app.ts', content: '' }),
      ]
      expect((await Promise.all(others)).map(({ decision }) => decision)).toEqual(others.map(() => 'allow'))
    })

    test('hears of patterns in commands by the files that they match', async () => {
      const it = await begun(TDD.replace('src/**', 'src/*.ts, src/*/deep.ts'))
      await writeFiles({ 'src/app.css': 'a', 'src/.hidden.ts': 'b', 'src/sub/deep.ts': 'c' }, it.project)
      await it.go('1')
      const held = [
        'rm src/*.ts',
        'rm src/*',
        'rm -f src/a??.*',
        'rm src/*/deep.ts',
        'rm s*/s*/*',
        'sed -i s/a/b/ src/[a-b]pp.ts',
        "find src -name 'app*' -delete",
        'find . -name deep.ts -exec rm {} +',
      ]
      for (const command of held)
        expect([command, (await it.shell(command)).decision]).toEqual([command, 'block'])
      expect(reasonOf(await it.shell('rm src/*'))).toContain('src/app.ts may be changed only from')
      const free = [
        'rm src/*.css',
        'rm src/b*',
        'rm test/*',
        "find src -name '*.css' -delete",
        'rm nowhere/*',
      ]
      for (const command of free)
        expect([command, (await it.shell(command)).decision]).toEqual([command, 'allow'])
    })

    test('records a pattern that matches too many files to look at', async () => {
      const it = await begun(TDD.replace('src/**', 'src/*.ts'))
      const many = Array.from({ length: 1100 }, (_, index) => [`many/${index}.txt`, ''] as const)
      await writeFiles(Object.fromEntries(many), it.project)
      await it.go('1')
      const seq = await world().lastSeq()
      expect((await it.shell("find . -name '*.txt' -delete")).decision).toBe('allow')
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toContain('write.unresolved')
    })

    test('tells a sub-agent to leave the file to the main thread', async () => {
      const it = await begun()
      await it.go('1')
      const reason = reasonOf(await it.write('src/app.ts', SUB))
      expect(reason).toContain(
        'Next: leave it as it is and report that; the main thread can run holdfast step',
      )
    })

    test('records a command whose writes are unknown, while a file is held back', async () => {
      const it = await begun()
      await it.go('1')
      const seen = async (more: object = {}) => {
        const seq = await world().lastSeq()
        await it.shell('echo x > "$OUT"', more)
        return (await world().since(seq)).map(({ event_type, effort_id }) => [event_type, effort_id])
      }
      expect(await seen()).toEqual([['write.unresolved', it.id]])
      expect(await seen(SUB)).toEqual([['write.unresolved', it.id]])
      await it.go('2', { proof: { failing: 'it' } })
      expect(await seen()).toEqual([])
    })

    test('only records at the level observe', async () => {
      const it = await begun(TDD, 'observe')
      await it.go('1')
      const seq = await world().lastSeq()
      expect((await it.write('src/app.ts')).decision).toBe('allow')
      expect(await world().since(seq)).toMatchObject([
        { event_type: 'tool.refused', effort_id: it.id, payload: { rule: 'write-gate', observed: true } },
      ])
    })

    test('concerns only the effort that the session serves', async () => {
      const it = await begun()
      await it.go('1')
      expect((await it.write('src/app.ts')).decision).toBe('block')
      await world().call('db.effort.finish', { effort_id: it.id, abandon: 'enough' })
      expect((await it.write('src/app.ts')).decision).toBe('allow')
    })

    test('follows the plan as it is now', async () => {
      const it = await begun()
      await it.go('1')
      expect((await it.write('src/app.ts')).decision).toBe('block')
      await it.add('tdd', { 'holdfast.yaml': TDD.replace('src/**', 'lib/**') })
      await it.prompt('/tdd')
      expect((await it.write('src/app.ts')).decision).toBe('allow')
      expect((await it.write('lib/app.ts')).decision).toBe('block')
    })

    test('holds in steps that artifacts order, too', async () => {
      const it = await clientAt(world())
      await it.add('flow', { 'holdfast.yaml': 'steps: {do: {writes: ["src/**"]}}\n' })
      await it.start()
      await it.prompt('/flow')
      const write = () => it.use('Write', { file_path: join(it.project, 'src/a.ts'), content: '' })
      for (const step of ['look', 'think']) {
        await it.read(it.flow(`steps/${step}.md`))
        expect((await write()).decision).toBe('block')
      }
      expect(reasonOf(await write())).toContain(`Next: read ${it.flow('steps/do.md')}`)
      await it.read(it.flow('steps/do.md'))
      expect((await write()).decision).toBe('allow')
    })
  })
}
