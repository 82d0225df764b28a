import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { EngineError } from '../../model/error.ts'
import { CHANGES, READS } from './call-samples.contract.ts'
import { methods } from '../methods/index.ts'
import { failure, type Params, type World } from '../world.contract.ts'

const RUNS = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 300)

/** What holds for the parameters of every call. */
export function paramsContract(world: () => World): void {
  describe('parameters', () => {
    const all = Object.entries({ ...CHANGES, ...READS })

    test.each(all)(
      'of %s: an unknown one gets an error with its name and a similar name',
      async (name, sample) => {
        const params = await sample(world())
        const [known] = Object.keys(params)
        const wrong = known === undefined ? 'x' : `${known}s`
        const refused = await failure(world().call(name, { ...params, [wrong]: 1 }))
        expect(refused).toMatchObject({
          code: 'invalid',
          field: wrong,
          hint: `holdfast rpc --describe ${name}`,
        })
        expect(refused.message).toContain(name)
        expect(refused.message).toContain(known === undefined ? 'x' : `did you mean ${known}?`)
      },
    )

    test.each(all)('of %s: a missing one gets an error with its name', async (name, sample) => {
      const params = await sample(world())
      const shape = methods.find((method) => method.name === name)?.params.shape ?? {}
      for (const [field, schema] of Object.entries(shape)) {
        if ((schema as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success)
          continue
        const { [field]: _, ...rest } = params
        expect(await failure(world().call(name, rest))).toMatchObject({ code: 'invalid', field })
      }
    })

    test.each([[null], [1], ['x'], [[]], [[1]]])('that are %j are rejected', async (params) => {
      const work = world().call('db.agents.get', params)
      expect(await failure(work)).toMatchObject({ code: 'invalid' })
    })

    test.each([
      ['db.effort.start', {}, 'task_id is missing.'],
      ['db.messages.append', { session_id: 1, content: '' }, 'role is missing.'],
      ['db.task.list', { limit: 'x' }, 'limit must be a number, not a string.'],
      ['db.task.list', { limit: null }, 'limit must be a number, not null.'],
      ['db.task.list', { limit: [] }, 'limit must be a number, not a list.'],
      ['db.task.list', { limit: 1.5 }, 'limit must be a whole number.'],
      ['db.task.list', { limit: 0 }, 'limit must be at least 1.'],
      ['db.task.list', { limit: 1001 }, 'limit must be at most 1000.'],
      ['db.task.list', { active: 'yes' }, 'active must be true or false, not a string.'],
      ['db.task.list', { project: null }, 'project must be the id or the folder of a project.'],
      ['db.effort.get', { effort_id: 0 }, 'effort_id must be more than 0.'],
      ['db.effort.get', { effort_id: true }, 'effort_id must be a number, not true.'],
      ['db.effort.get', { effort_id: 2 ** 53 }, 'effort_id must be at most 9007199254740991.'],
      ['db.agents.get', { id: {} }, 'id must be a string, not an object.'],
      ['db.agents.get', { id: ' ' }, 'id must not be empty.'],
      ['db.agents.get', { id: 'x'.repeat(201) }, 'id must have at most 200 characters.'],
      ['db.agents.get', { id: 'a\u0007' }, 'id contains a control character.'],
      ['db.agents.get', { id: 1, ids: 1 }, 'id must be a string, not a number.'],
      ['db.agents.get', { id: 'a', zzzzzz: 1 }, 'unknown parameter zzzzzz.'],
      ['db.agents.get', { id: 'a', di: 1 }, 'unknown parameter di; did you mean id?'],
      ['db.agents.get', [], 'the parameters must be an object.'],
      ['db.agents.register', { id: 'a', claims: ['b', 'c\0'] }, 'claims.1 contains a control character.'],
      ['db.project.upsert', { path: 'a' }, 'path must be an absolute path.'],
      ['db.session.updateLoadedFiles', { session_id: 1, files: {} }, 'files must be a list, not an object.'],
      [
        'db.session.updateLoadedFiles',
        { session_id: 1, files: Array.from({ length: 1001 }, () => 'a') },
        'files must have at most 1000 entries.',
      ],
      [
        'db.messages.append',
        { session_id: 1, content: '', role: 'x' },
        'role must be user, assistant, system or tool.',
      ],
      [
        'db.skills.get',
        { project_id: 1, name: 'a b' },
        'name must be a skill name such as brainstorm or plugin:brainstorm.',
      ],
      ['db.skills.upsert', { project_id: 1, name: 'a', phases: [{}] }, 'phases.0.label is missing.'],
    ])('of %s are refused with our own message, such as: $2', async (name, params, sentence) => {
      expect(await failure(world().call(name, params))).toMatchObject({
        code: 'invalid',
        message: `${name}: ${sentence}`,
        hint: `holdfast rpc --describe ${name}`,
      })
    })

    test.each([
      ['db.effort.approve', 'reason'],
      ['db.effort.finish', 'abandon'],
      ['step.leave', 'reason'],
      ['pipeline.fail', 'reason'],
      ['queue.add', 'content'],
      ['queue.resolve', 'resolution'],
      ['run.log', 'text'],
    ])('of %s: a blank of a form in %s is refused', async (name, field) => {
      const sample = { ...CHANGES, ...READS }[name]
      const params = { ...(await sample?.(world())), [field]: ' ____ ' }
      expect(await failure(world().call(name, params))).toMatchObject({
        code: 'invalid',
        field,
        message: `${name}: ${field} must have words instead of the blank.`,
      })
    })

    test.each([0x00, 0x1f, 0x7f, 0x9f, 0x202a, 0x202e, 0x2066, 0x2069])(
      'with character %i, which changes what a terminal shows, are rejected',
      async (control) => {
        const text = `/a${String.fromCodePoint(control)}b`
        for (const [name, field] of [
          ['db.agents.get', 'id'],
          ['db.project.upsert', 'path'],
          ['db.agents.register', 'idempotency_key'],
        ] as const)
          expect(
            await failure(world().call(name, { ...(field !== 'path' && { id: 'x' }), [field]: text })),
          ).toMatchObject({
            code: 'invalid',
            field,
            message: `${name}: ${field} contains a control character.`,
          })
        const { id } = await world().call('db.agents.register', { id: 'ünï – 日本' })
        expect(id).toBe('ünï – 日本')
      },
    )

    // Defect 35 of the originals: nobody noticed a validator that refused nothing.
    test.each(all)('of %s: a hostile value is at most an error of the caller', async (name, sample) => {
      const good = await sample(world())
      for (const field of fieldsOf(name)) {
        let refused = 0
        for (const value of NASTY) {
          const named = await mistake(world(), name, { ...good, [field]: value })
          expect(named ?? field).toBe(field)
          if (named !== undefined) refused++
        }
        expect(refused > 0, `${name} takes anything as ${field}`).toBe(!isTheirs(name, field))
      }
    })

    test('that only pretend to have a length are an error of the caller', async () => {
      const path = { length: { toString: 1, valueOf: 1 } }
      expect(await failure(world().call('db.project.upsert', { path }))).toMatchObject({
        code: 'invalid',
        hint: 'holdfast rpc --describe db.project.upsert',
      })
    })

    test('of any kind are at most an error of the caller', async () => {
      const samples = new Map<string, Params>()
      for (const [name, sample] of all) samples.set(name, await sample(world()))
      const wrongs = fc.tuple(fc.constantFrom(...samples.keys()), fc.nat(), anything())
      await fc.assert(
        fc.asyncProperty(wrongs, async ([name, place, value]) => {
          const fields = fieldsOf(name)
          const field = fields[place % fields.length]
          const params = field === undefined ? value : { ...samples.get(name), [field]: value }
          const named = await mistake(world(), name, params)
          expect(field === undefined ? named : (named ?? field)).toBe(field ?? named)
        }),
        { numRuns: RUNS },
      )
      // The stored part is still readable.
      await world().everything()
      await world().call('db.task.list', { limit: 1000 })
    })
  })
}

const fieldsOf = (name: string) =>
  Object.keys(methods.find((method) => method.name === name)?.params.shape ?? {})

/** The invalid field of a refused call; any error that is not the caller's fails the test. */
async function mistake(world: World, name: string, params: unknown): Promise<string | undefined> {
  const gone = new AbortController()
  const error: unknown = await world.call(name, params, { gone: gone.signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  gone.abort()
  if (error === undefined) return undefined
  if (!(error instanceof EngineError)) throw new Error(`${name} ${JSON.stringify(params)}`, { cause: error })
  expect(['invalid', 'not-found', 'conflict', 'refused', 'forbidden']).toContain(error.code)
  return error.code === 'invalid' ? error.field?.split('.')[0] : undefined
}

/** Client payloads and results of its tools are never refused; their adapter interprets them. */
const isTheirs = (name: string, field: string) =>
  (name.startsWith('hooks.') || name === 'statusline.show') && ['payload', 'result'].includes(field)

/** Strings that break databases, languages and file systems. */
const NASTY: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\0',
  'a\0b',
  '/a\0b',
  '1: \0',
  '\ud800',
  '/\u0007',
  '/',
  '/..',
  '__proto__',
  `'; drop table x; --`,
  '%\\_',
  'x'.repeat(300),
  `/${'x'.repeat(4000)}`,
  'é'.repeat(200_000),
  -0,
  -1,
  0.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  1e300,
  JSON.parse('{"__proto__": 1}'),
  { toString: 1, valueOf: 1 },
  { '\0': '\0' },
  [],
  ['\0'],
  [{ label: '1' }, { label: '1' }],
  [{ label: '1', name: '\0' }],
  [{ label: '9'.repeat(400) }, { label: '8'.repeat(400) }],
  [{ major: { toString: 1 } }],
]

/** JSON of every kind. */
function anything(): fc.Arbitrary<unknown> {
  const text = anyString()
  const json = fc.jsonValue({ maxDepth: 3 })
  const nasty = fc.constantFrom(...NASTY)
  return fc.oneof(text, fc.double(), fc.integer(), json, nasty, fc.array(nasty), fc.dictionary(text, nasty))
}
