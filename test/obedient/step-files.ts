import * as fc from 'fast-check'
import { skill } from '../refusals/skills.ts'
import {
  common,
  fieldsOf,
  fileFor,
  FOLDER,
  type List,
  list,
  type Loop,
  type Made,
  secretOf,
  shapesOf,
  sidecar,
  takesPart,
  title,
} from './made.ts'

/** Step files: each consumes what earlier ones produce, and may lead back to one of those. */
export const stepFiles = fc
  .record({
    list,
    inputs: fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 3 }), { minLength: 6, maxLength: 6 }),
    products: fc.array(fc.nat({ max: 2 }), { minLength: 6, maxLength: 6 }),
    gate: fc.constantFrom('visited' as const, 'produced' as const),
  })
  .map(({ list: given, inputs, products, gate }): Made => {
    const names = given.shapes.map((_, at) => `part-${at + 1}`)
    const shapes = shapesOf(given)
    const makers = new Map<string, number>()
    const contracts = shapes.map((_, at) => {
      const known = [...makers.keys()]
      const consumes =
        known.length === 0 ? [] : (inputs[at] ?? []).map((one) => known[one % known.length] ?? '')
      const produces = Array.from({ length: products[at] ?? 0 }, (__, one) => `made-${at + 1}-${one}`)
      for (const artifact of produces) makers.set(artifact, at)
      return { consumes: [...new Set(consumes)], produces }
    })
    const loop = loopAmong(given, names, { contracts, makers })
    const files = shapes.map((one, at) => {
      const name = names[at] ?? ''
      const { consumes, produces } = contracts[at] ?? { consumes: [], produces: [] }
      const fields = {
        consumes: ['user-request', 'brief', ...consumes],
        produces: [...produces, `end-${at + 1}`],
        ...fieldsOf(one, name, loop),
      }
      const head = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      return [
        stepPath(name),
        `---\n${head.join('\n')}\n---\n\n# ${title(at)}\n\n${secretOf(name)}\n`,
      ] as const
    })
    const proved = contracts.flatMap(({ produces }, at) =>
      gate === 'produced' && shapes[at]?.proof === 'proved' ? produces : [],
    )
    const artifacts = Object.fromEntries(
      proved.map((artifact) => [artifact, { command: 'test -d src', covers: ['src/**'] }]),
    )
    return {
      files: {
        ...skill('flow'),
        ...Object.fromEntries(files),
        ...sidecar({ ...common(given), gate, inputs: ['brief'], ...(proved.length > 0 && { artifacts }) }),
      },
      mode: given.mode,
      steps: shapes.flatMap((one, at) => {
        const name = names[at] ?? ''
        if (!takesPart(one, given)) return []
        const after = (contracts[at]?.consumes ?? []).flatMap((artifact) => {
          const maker = makers.get(artifact) ?? 0
          const producer = shapes[maker]
          return producer === undefined || producer.optional || !takesPart(producer, given)
            ? []
            : [[names[maker] ?? '']]
        })
        const owes =
          one.dispatch !== undefined || (contracts[at]?.produces ?? []).some((it) => proved.includes(it))
        const writes = one.writes === undefined ? {} : { writes: fileFor(name) }
        return [{ name, file: stepPath(name), after, owes, ...writes }]
      }),
      loop,
    }
  })

const stepPath = (name: string): string => `${FOLDER}/steps/${name}.md`

interface Contracts {
  readonly contracts: readonly { readonly consumes: readonly string[] }[]
  readonly makers: ReadonlyMap<string, number>
}

/** A way back to a step whose product the other consumes; any other would lead forward. */
function loopAmong(
  given: List,
  names: readonly string[],
  { contracts, makers }: Contracts,
): Loop | undefined {
  if (given.way === undefined) return undefined
  const from = given.way.from % names.length
  const to = makers.get(contracts[from]?.consumes[0] ?? '')
  if (to === undefined) return undefined
  const { limit, rounds } = given.way
  return {
    from: names[from] ?? '',
    outcome: 'again',
    to: names[to] ?? '',
    limit,
    rounds,
    length: names.length,
  }
}
