import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CHANGES, file, READS } from './call-samples.contract.ts'
import { methods } from '../methods/index.ts'
import { failure, type World } from '../world.contract.ts'

/** What holds for every call, with any method. */
export function callContract(world: () => World): void {
  const namesOf = (...effects: string[]) =>
    methods.filter(({ effect }) => effects.includes(effect)).map(({ name }) => name)

  describe('every method', () => {
    test('is called in this suite, and has a unique name and a summary', () => {
      expect(Object.keys(CHANGES).toSorted()).toEqual(
        namesOf('durable', 'hook', 'beat', 'volatile', 'file', 'daemon').toSorted(),
      )
      expect(Object.keys(READS).toSorted()).toEqual(namesOf('read', 'none').toSorted())
      expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length)
      for (const { summary } of methods) expect(summary).toMatch(/^[A-Z].*\.$/)
      const keyed = methods.filter(({ params }) => 'idempotency_key' in params.shape)
      expect(keyed.map(({ name }) => name).toSorted()).toEqual(Object.keys(CHANGES).toSorted())
    })

    test('of the seeds exists', () => {
      const seeded = `db.project.upsert db.task.upsert db.task.find db.task.list db.effort.start db.effort.finish
        db.effort.phase db.effort.list db.effort.validate db.session.start db.session.finish db.session.heartbeat
        db.session.updateContextUsage db.session.updateLoadedFiles db.session.find db.skills.upsert db.skills.get
        db.skills.list db.skills.delete db.skills.find db.messages.append db.messages.list db.agents.register
        db.agents.get db.agents.list commands.effort.start commands.session.continue commands.log.append fs.files.read fs.files.append fs.paths.resolve
        agent.skills.parse agent.skills.list
        agent.directives.discover agent.directives.dereference agent.directives.resolve`
      const names = new Set(methods.map(({ name }) => name))
      expect(seeded.split(/\s+/).filter((name) => !names.has(name))).toEqual([])
    })

    test('that is unknown gets an error with a similar name', async () => {
      expect(await failure(world().call('db.efort.start'))).toMatchObject({
        code: 'unknown-method',
        message: expect.stringContaining('db.effort.start'),
      })
      expect(await failure(world().call('toString'))).toMatchObject({
        code: 'unknown-method',
        message: 'Unknown method toString.',
      })
    })
  })

  test('an answer is the same over every transport', async () => {
    const path = await file(world())
    expect(await world().call('fs.files.read', { path })).toMatchObject({
      content: readFileSync(path, 'utf8'),
    })
    expect(await world().call('daemon.methods')).toMatchObject(methods.map(({ name }) => ({ name })))
  })
}
