import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../rpc/scan.ts'
import { TOKENS } from '../../rpc/talk.contract.ts'
import { serving } from './serving.contract.ts'

describe('a status line', () => {
  const url = '/statusline/claude-code'

  test('is a text with a line break', async () => {
    const { open } = await serving({ handleLine: () => Promise.resolve('[bløck]') })
    const answer = await (await open()).post('{}', { url }).answer()
    expect(answer).toMatchObject({ status: 200, body: '[bløck]\n' })
    expect(answer?.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test('with nothing to show is empty', async () => {
    const { open, faults } = await serving({ handleLine: () => Promise.resolve('') })
    expect(await (await open()).post('{}', { url }).answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([])
  })

  test.each([[''], ['\n']])(
    'without a payload, %j, as typed by hand, is empty and no failure',
    async (body) => {
      const { open, faults } = await serving({ handleLine: () => Promise.reject(new Error('no')) })
      expect(await (await open()).post(body, { url }).answer()).toMatchObject({ status: 200, body: '' })
      expect(faults).toEqual([])
    },
  )

  test('that fails is empty, and the failure is logged', async () => {
    const cause = new Error('no')
    const { open, faults } = await serving({ handleLine: () => Promise.reject(cause) })
    const talk = await open()
    expect(await talk.post('{}', { url }).answer()).toMatchObject({ status: 200, body: '' })
    expect(await talk.post('no JSON', { url }).answer()).toMatchObject({ status: 200, body: '' })
    expect(await talk.post(JSON.stringify('x'.repeat(LIMITS.bytes)), { url }).answer()).toMatchObject({
      body: '',
    })
    expect(faults).toMatchObject([
      { client: 'claude-code', problem: 'The status line failed.', cause },
      { cause: { message: 'The message is not JSON.' } },
      { cause: { message: `A status line payload may have at most ${LIMITS.bytes} bytes.` } },
    ])
  })

  test('requires the token for hooks', async () => {
    const { open } = await serving()
    const answer = await (await open()).post('{}', { url, token: TOKENS.full }).answer()
    expect(answer).toMatchObject({ status: 401 })
  })
})
