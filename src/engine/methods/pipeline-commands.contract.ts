import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { startedPipeline } from './pipeline.contract.ts'

const CHECKED = `variables: {base: none}
pipeline:
  - {id: begin, run: "git rev-parse HEAD", limit: 3}
  - {id: build, prompt: Build it., verify: {condition: it is built, command: "test -e \${task}/out && test \${base} != none"}}
`

const FLAGGED = `variables: {dry: "no", branch: "yes"}
flags: {--dry-run: {dry: "yes"}, --no-branch: {branch: "no"}}
pipeline:
  - {id: look, prompt: "Look at $ARGUMENTS."}
  - {id: branch, prompt: Make a branch., when: {branch: "yes", dry: "no"}}
  - {id: build, prompt: Build it., when: {dry: "no"}}
`

/** What the commands and flags of pipelines promise, on any database. */
export function pipelineCommandsContract(world: () => World): void {
  const begun = async (yaml: string, args?: string) => {
    const it = await startedPipeline(world(), yaml, args)
    const on = (method: string, more: object = {}) =>
      world().call(method, { effort_id: it.effort_id, ...more })
    return {
      ...it,
      show: () => on('step.show'),
      go: () => on('step.enter'),
      run: (step: string) => on('step.run', { step, sessions: [], processes: [] }),
      leave: (step: string, more: object = {}) => on('step.leave', { step, ...more }),
    }
  }

  describe('a command that a pipeline runs itself', () => {
    test('ends only with its result, which sets variables of later commands', async () => {
      const it = await begun(CHECKED)
      expect(await it.go()).toMatchObject({ runs: true, offer: { kind: 'own' } })
      expect(await failure(it.leave('begin'))).toMatchObject({ code: 'refused' })
      const { command, token } = await it.run('begin')
      expect(command).toBe('git rev-parse HEAD')
      expect(await it.leave('begin', { token, set: { base: 'a b' } })).toMatchObject({
        current: ['build'],
        runs: false,
      })
      expect((await it.run('build')).command).toBe(`test -e ${it.task_id}/out && test 'a b' != none`)
    })

    test('has found what its caller cannot set otherwise, not with a failure either', async () => {
      const it = await begun(CHECKED)
      await it.go()
      const { token } = await it.run('begin')
      await it.leave('begin', { token, set: { base: 'main' } })
      const refused = { code: 'refused', field: 'set' }
      expect(await failure(it.leave('build', { set: { base: 'HEAD~5' } }))).toMatchObject(refused)
      const failed = { outcome: 'fail', reason: 'no', set: { base: 'HEAD~5' } }
      expect(await failure(it.leave('build', failed))).toMatchObject(refused)
      await it.leave('build')
      expect((await it.run('build')).command).toContain('test main != none')
    })

    test('has no variable but those of the plan: neither the folder of the task nor one of the shell', async () => {
      const it = await begun(CHECKED)
      await it.go()
      const { token } = await it.run('begin')
      await it.leave('begin', { token, set: { base: 'main' } })
      for (const set of [{ task: '/elsewhere' }, { effort: '7' }, { HOME: '/elsewhere' }])
        expect(await failure(it.leave('build', { set }))).toMatchObject({ code: 'invalid', field: 'set' })
      await it.leave('build')
      expect((await it.run('build')).command).toContain(`test -e ${it.task_id}/out`)
    })

    test('that fails is tried again by the next print, up to its limit', async () => {
      const it = await begun(CHECKED)
      await it.go()
      const { token } = await it.run('begin')
      const failed = await it.leave('begin', { token, outcome: 'fail', reason: 'no commit' })
      expect(failed).toMatchObject({ current: ['begin'], runs: true })
      expect(failed.failures.join()).toContain('no commit')
      expect(await it.show()).toMatchObject({ runs: true })
    })
  })

  describe('a report that a command checks', () => {
    const reported = async () => {
      const it = await begun(CHECKED)
      await it.go()
      const { token } = await it.run('begin')
      await it.leave('begin', { token, set: { base: 'main' } })
      return it
    }

    test('moves nothing until the command has passed', async () => {
      const it = await reported()
      expect((await it.show()).offer.verify).toBe('it is built')
      expect(await it.leave('build')).toMatchObject({ current: ['build'], runs: true, status: 'running' })
      expect(await it.show()).toMatchObject({ current: ['build'], runs: false })
      const { token } = await it.run('build')
      expect(await it.leave('build', { token })).toMatchObject({ status: 'finished' })
    })

    test('is refused with what the command says, however often, and is no attempt', async () => {
      const it = await reported()
      for (const reason of ['There is no out.', 'There is still no out.']) {
        await it.leave('build')
        const { token } = await it.run('build')
        expect(await failure(it.leave('build', { token, outcome: 'fail', reason }))).toMatchObject({
          code: 'refused',
          message: `Step "build" is done when it is built. ${reason}`,
          hint: `holdfast step done build --effort ${it.effort_id}`,
        })
      }
      expect((await it.status()).steps[1]).toMatchObject({ state: 'started', attempts: 1 })
      const { token } = await it.run('build')
      expect(await it.leave('build', { token })).toMatchObject({ status: 'finished' })
    })

    test('is not taken without it: not with another token, by an older spelling, or by going on', async () => {
      const it = await reported()
      await it.run('build')
      expect(await failure(it.leave('build', { token: 'mine' }))).toMatchObject({ code: 'refused' })
      expect(await failure(it.done('build'))).toMatchObject({
        code: 'refused',
        hint: `holdfast step done build --effort ${it.effort_id}`,
      })
      expect((await it.status()).steps[1]).toMatchObject({ state: 'started', attempts: 1 })
    })

    test('may say that the step failed', async () => {
      const it = await reported()
      expect(await it.leave('build', { outcome: 'fail', reason: 'red' })).toMatchObject({ status: 'running' })
      expect((await it.status()).steps[1]).toMatchObject({ attempts: 2 })
    })
  })

  describe('flags in the words of a call', () => {
    test('set variables, and are no part of the arguments', async () => {
      const it = await begun(FLAGGED, '--no-branch a login page')
      expect(await it.states()).toEqual(['look ready', 'build waiting'])
      expect((await it.go()).offer).toMatchObject({ call: 'Look at a login page.', position: '[1/2]' })
    })

    test('cannot be taken back by a report', async () => {
      const it = await begun(FLAGGED, 'a login page --dry-run')
      await it.go()
      expect(await it.leave('look', { set: { dry: 'no' } })).toMatchObject({ status: 'finished' })
      expect(await it.states()).toEqual(['look completed'])
    })
  })
}
