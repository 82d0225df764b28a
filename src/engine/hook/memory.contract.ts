import { expect, test } from 'vitest'
import { clientAt, contextOf } from './client.contract.ts'
import { type World, writeFiles } from '../world.contract.ts'

/** What a session remembers of its context, from the events of a client. */
export function memoryContract(world: () => World): void {
  const loadedOf = async (it: Awaited<ReturnType<typeof clientAt>>) => {
    await world().store.flush()
    return (await it.windows()).map(({ loaded_files: files }) => JSON.parse(files ?? '[]'))
  }

  test('files that were read are loaded until the context is cleared', async () => {
    const it = await clientAt(world())
    await it.start()
    const [a, b, c] = ['a.ts', 'b.ts', 'c.ts'].map((name) => `${it.project}/${name}`) as [string, ...string[]]
    await it.read(a)
    await it.read(a)
    await it.read(`${it.project}/sub.ts`, { agent_id: 'sub', agent_type: 'helper' })
    await it.fire('PreToolUse', { tool_name: 'Read', tool_input: { file_path: c }, tool_use_id: 'r' })
    const failed = { tool_name: 'Read', tool_input: { file_path: c }, tool_use_id: 'r', error: 'gone' }
    await it.fire('PostToolUseFailure', failed)
    await it.use('Grep', { pattern: 'x', path: it.project, output_mode: 'content' })
    await it.use('Write', { file_path: c, content: '' })
    await it.read(b ?? '')
    expect(await loadedOf(it)).toEqual([[a, b]])
    await it.start('compact')
    expect(await loadedOf(it)).toEqual([[a, b], []])
  })

  test('files that tools wrote are kept with their window, the last one last', async () => {
    const it = await clientAt(world())
    await it.start()
    for (const name of ['a.ts', 'b.ts', 'a.ts'])
      await it.use('Write', { file_path: `${it.project}/${name}`, content: '' })
    await it.read(`${it.project}/c.ts`)
    await world().store.flush()
    const [window] = await it.windows()
    expect(JSON.parse(window.changed_files)).toEqual([`${it.project}/b.ts`, `${it.project}/a.ts`])
    const [known] = await world().call('db.session.find', { native_id: it.session })
    expect(known.changed_files).toEqual([`${it.project}/b.ts`, `${it.project}/a.ts`])
  })

  test('files that a command wrote are kept too, once it has ended well', async () => {
    const it = await clientAt(world())
    const names = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'sub/f.ts']
    await writeFiles(Object.fromEntries(names.map((name) => [name, 'x'])), it.project)
    await it.start()
    const run = (command: string, more: object = {}) => {
      const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: command }
      return it.fire('PostToolUse', { ...call, tool_response: { interrupted: false }, ...more })
    }
    await run('cat a.ts > b.ts 2>/dev/null && sed -i s/x/y/ c.ts && rm gone.ts')
    await it.use('Write', { file_path: `${it.project}/a.ts`, content: '' })
    await run('cd sub && tee f.ts < ../a.ts; mkdir -p ../sub; touch *.ts')
    await run('echo > e.ts', { tool_response: { interrupted: false, backgroundTaskId: 'b1' } })
    const failed = { tool_name: 'Bash', tool_input: { command: 'echo > d.ts && false' }, tool_use_id: 'f' }
    await it.fire('PreToolUse', failed)
    await it.fire('PostToolUseFailure', { ...failed, error: 'Exit code 1' })
    await run('echo > d.ts', { agent_id: 'sub', agent_type: 'helper' })
    await world().store.flush()
    const [window] = await it.windows()
    const changed = ['b.ts', 'c.ts', 'a.ts', 'sub/f.ts'].map((name) => `${it.project}/${name}`)
    expect(JSON.parse(window.changed_files)).toEqual(changed)
  })

  test('a resumed client has its old context, so the files it read are still loaded', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.read(`${it.project}/a.ts`)
    await world().store.flush()
    await it.fire('SessionEnd', { reason: 'other' })
    await it.start('resume')
    await it.read(`${it.project}/b.ts`)
    expect((await loadedOf(it)).at(-1)).toEqual([`${it.project}/a.ts`, `${it.project}/b.ts`])
  })

  test('a recap lists the files of the last window, except those that are still loaded', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('/flow')
    await it.read(`${it.project}/needed.ts`)
    const recap = async (source: string) =>
      (await it.start(source)).reply?.hookSpecificOutput?.additionalContext ?? ''
    await world().store.flush()
    await it.fire('SessionEnd', { reason: 'other' })
    expect(await recap('resume')).not.toMatch(/Read first:[^]*needed\.ts/)
    await it.use('Bash', { command: 'ls' })
    await it.fire('PreCompact', { trigger: 'auto' })
    expect(await recap('compact')).toMatch(/Read first:[^]*needed\.ts/)
  })

  test('an effort lists the files that changed for it, whichever session reads the list', async () => {
    const it = await clientAt(world())
    await it.start()
    const write = (name: string) => it.use('Write', { file_path: `${it.project}/${name}`, content: '' })
    const changedIn = (text: string) =>
      /Files changed by the work so far[^]*?\n((?:- .*\n?)+)/u.exec(text)?.[1]
    const compacted = async () => changedIn(contextOf(await it.start('compact'))) ?? ''
    await it.prompt('/flow the house')
    await write('old.ts')
    await write('both.ts')
    expect(contextOf(await it.prompt('/flow the garden'))).not.toContain('old.ts')
    await write('both.ts')
    await write('new.ts')
    expect(await compacted()).toBe('- new.ts\n- both.ts\n')
    const [house, garden] = await it.efforts()
    const other = { native_id: world().name('native'), cwd: it.project, take: true }
    const taken = await world().call('commands.session.continue', { ...other, effort_id: house.id })
    expect(changedIn(taken.markdown)).toBe('- both.ts\n- old.ts\n')
    await write('late.ts')
    await world().call('commands.session.continue', {
      native_id: it.session,
      effort_id: house.id,
      take: true,
    })
    expect(await compacted()).toBe('- both.ts\n- old.ts\n')
    await world().call('commands.session.continue', { native_id: it.session, effort_id: garden.id })
    expect(await compacted()).toBe('- late.ts\n- new.ts\n- both.ts\n')
  })

  test('without an effort, all files that the session changed are listed', async () => {
    const it = await clientAt(world())
    await it.start()
    const write = (name: string) => it.use('Write', { file_path: `${it.project}/${name}`, content: '' })
    await write('before.ts')
    await it.prompt('/flow the house')
    await write('during.ts')
    const [{ id: effort_id }] = (await it.efforts()) as [{ id: number }]
    const ending = { effort_id, native_id: it.session, abandon: 'Enough.' }
    await world().call('db.effort.finish', ending)
    await write('after.ts')
    const recap = contextOf(await it.start('compact'))
    for (const name of ['before.ts', 'during.ts', 'after.ts']) expect(recap).toContain(`- ${name}`)
  })
}
