import { describe, expect, test } from 'vitest'
import { nodeFiles } from '../../files/node.ts'
import { call as callMethod } from '../call/call.ts'
import { failure, type Params, type World } from '../world.contract.ts'
import { handoffScene, SESSION_FILE } from './handoff.contract.ts'

/** What a handoff promises, whatever ends it. */
export function handoffWriteContract(world: () => World): void {
  const begun = (text?: string) => handoffScene(world(), text)

  describe('a handoff', () => {
    const WORDS = {
      status: 'Half way',
      completed: '- Mended the login',
      next: '- Ship it\n- Tell them',
      blockers: ['It rains'],
      learnings: [{ title: 'When it rains', text: 'Wait.' }],
    }

    test('writes the session file, learnings and the handover note of the own effort', async () => {
      const it = await begun(SESSION_FILE)
      const { id } = await it.start({ native_id: it.native })
      const seq = await world().lastSeq()
      const answer = await it.run('write', { ...WORDS, native_id: it.native })
      expect(answer).toEqual({ file: 'agents/session.md', learnings: ['When it rains'], effort_id: id })
      expect(await it.read()).toContain('- Mended the login')
      expect(await it.read()).not.toContain('Old words')
      expect(await it.read()).toContain('Keep this.')
      expect((await it.go({ native_id: it.native })).markdown).toContain('Ship it')
      expect(await world().since(seq)).toMatchObject(
        [
          { event_type: 'handoff.written', session_id: it.native, payload: { what: 'learn' } },
          { event_type: 'handoff.written', payload: { file: 'agents/session.md', what: 'handoff' } },
          { event_type: 'effort.dehydrated', effort_id: id },
          expect.anything(),
        ].slice(0, 3),
      )
      expect(await it.run('write', { ...WORDS, native_id: it.native })).toMatchObject({ learnings: [] })
    })

    test('leaves no note where the caller has no effort', async () => {
      const it = await begun()
      expect(await it.run('write', { status: 'Half way' })).toMatchObject({ effort_id: null })
    })

    test('refuses words that would damage the file, and a file that the caller has not read', async () => {
      const it = await begun(SESSION_FILE)
      for (const params of [{}, { completed: '## x' }, { document: 'x' }, { status: 'a\nb' }])
        expect(await failure(it.run('write', params))).toMatchObject({ code: 'invalid' })
      const { digest } = await it.run('show')
      await it.put('agents/session.md', `${SESSION_FILE}\n`)
      expect(await failure(it.run('write', { ...WORDS, digest }))).toMatchObject({ code: 'conflict' })
      expect(await it.read()).toBe(`${SESSION_FILE}\n`)
    })

    /** Calls with a disk that fails before its nth write. */
    const failing = (it: Awaited<ReturnType<typeof begun>>, nth: number, params: Params) => {
      let count = 0
      const files = {
        ...nodeFiles,
        put: (wish: Parameters<typeof nodeFiles.put>[0]) =>
          ++count === nth ? Promise.reject(new Error('made to fail')) : nodeFiles.put(wish),
      }
      const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
      return callMethod(
        { ...world().context, files },
        'handoff.write',
        { path: it.project, ...params },
        caller,
      )
    }

    test.each([1, 2])(
      'that ended before write %i is completed by a repetition, with its key or without',
      async (nth) => {
        for (const key of [undefined, world().name('key')]) {
          const it = await begun(SESSION_FILE)
          const params = { ...WORDS, ...(key !== undefined && { idempotency_key: key }) }
          await expect(failing(it, nth, params)).rejects.toThrow('made to fail')
          expect(await it.read()).toBe(SESSION_FILE)
          await it.run('write', params)
          const done = await it.read()
          expect(done.match(/It rains|Mended the login|Tell them/g)).toHaveLength(3)
          expect((await it.read('agents/learnings.md')).match(/When it rains/g)).toHaveLength(1)
          await it.run('write', params)
          expect(await it.read()).toBe(done)
        }
      },
    )

    test('does not overwrite what somebody wrote before its repetition', async () => {
      const it = await begun(SESSION_FILE)
      const params = { ...WORDS, idempotency_key: world().name('key') }
      await expect(failing(it, 2, params)).rejects.toThrow('made to fail')
      const theirs = SESSION_FILE.replace('Old words', 'Words of mine')
      await it.put('agents/session.md', theirs)
      const seq = await world().lastSeq()
      const refused = await failure(it.run('write', params))
      expect(refused).toMatchObject({ code: 'conflict', hint: expect.stringContaining('holdfast handoff') })
      expect(await it.read()).toBe(theirs)
      expect(await world().since(seq)).toMatchObject([{ event_type: 'handoff.refused' }])
      // The same words under a new key are a new handoff.
      await it.run('write', WORDS)
      expect(await it.read()).toContain('- Mended the login')
    })
  })
}
