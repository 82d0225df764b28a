import { checkPlan } from '../src/model/plan/validate.ts'
import { readSkill } from '../src/skills/skill-md.ts'
import { param, step, workflow } from '../src/workflow/index.ts'
import { atMost, compared, race, ratioOf, type Row, timed, type Times } from './measure.ts'

const [FEW, MANY] = [50, 500]
/** Ten times the steps; what grows with their square would take a hundred times as long. */
const LINEAR = (MANY / FEW) * 2

const define = (count: number) =>
  workflow(
    'long',
    Array.from({ length: count }, (_, index) =>
      step({
        id: `s${index}`,
        title: `Step ${index} of {{what}}`,
        actions: ['Do it for {{what}}.', 'Say how sure you are.'],
        decides: [{ when: { sure: 'high' }, outcome: 'ok' }, { outcome: 'again' }],
        limit: 3,
        next: { ok: index === count - 1 ? null : `s${index + 1}`, again: `s${index}` },
      }),
    ),
    { params: { what: param.text() }, state: { sure: param.choice(['low', 'high']) } },
  )

/** A skill with this workflow, as its reader gets it. */
function given(count: number) {
  const exported = JSON.parse(JSON.stringify(define(count))) as { readonly steps: readonly { id: string }[] }
  const lines = exported.steps.map(({ id }) => `  step({ id: '${id}', title: 'T' }),`)
  return { exported, source: `export default workflow('long', [\n${lines.join('\n')}\n])\n` }
}

function read({ exported, source }: ReturnType<typeof given>) {
  const { definition } = readSkill({
    kind: 'skill',
    id: 'long',
    folder: 'long',
    file: 'long/SKILL.md',
    text: '---\nname: long\ndescription: Is long.\n---\n',
    others: new Map([['workflow.ts', source]]),
    modules: new Map([['workflow.ts', { exported }]]),
  })
  if (definition.plan === undefined) throw new Error('The workflow has no plan.')
  return definition.plan
}

/** Long workflows: what each costs as they are defined, read and checked. */
export async function workflows(rounds: number): Promise<readonly Row[]> {
  const [few, many] = [given(FEW), given(MANY)]
  const [small, large] = [read(few), read(many)]
  const plan = { rounds, calls: 100, warmUp: 50 }
  const rows = [
    ['defined', await race(plan, { few: timed(() => define(FEW)), many: timed(() => define(MANY)) })],
    ['read and checked', await race(plan, { few: timed(() => read(few)), many: timed(() => read(many)) })],
    [
      'checked',
      await race(plan, { few: timed(() => checkPlan(small)), many: timed(() => checkPlan(large)) }),
    ],
  ] as const
  return rows.map(([what, { few: baseline, many: times }]) => ({
    ...compared({
      name: 'workflow',
      what: `${what}: ${MANY} steps`,
      times,
      against: `${FEW} steps`,
      baseline,
    }),
    // By the fastest runs, because a long one is interrupted more often than a short one.
    ratio: ratioOf(times, baseline, { of: fastest, to: fastest }),
    target: atMost(LINEAR),
  }))
}

const fastest = (times: Times): number => Math.min(...times)
