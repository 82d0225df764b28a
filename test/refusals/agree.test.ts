import { afterAll, describe, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { Scene } from './scene.ts'
import { type Files, S, side, skill, step } from './skills.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

async function begun(files: Files): Promise<Scene> {
  const it = new Scene(user, files)
  await it.call('/flow')
  return it
}

async function said(it: Scene, command: string): Promise<string> {
  return (await it.bad(command)) ?? it.said
}

const launched = (text: string): string => text.replaceAll(/\S+\/bin\/holdfast /g, 'holdfast ')

/** A loop, an optional step before the last one, and a step that quick mode leaves out. */
const BAKE: Files = {
  ...skill('flow'),
  [`${S}/mix.md`]: step('consumes: [user-request]\nproduces: [dough]\nlimit: 2'),
  [`${S}/oven.md`]: step('consumes: [dough]\nproduces: [bread]\nnext: {again: mix}'),
  [`${S}/glaze.md`]: step('consumes: [dough]\nproduces: [shine]\noptional: true'),
  [`${S}/sell.md`]: step('consumes: [bread]\nproduces: [money]\nonly: full'),
}

describe('steps with an optional one', () => {
  test('name the required one as the next action, wherever one is named', async () => {
    const it = await begun(BAKE)
    await it.read(`${S}/mix.md`)
    await it.read(`${S}/oven.md`)
    const next = `next: read ${it.project}/${S}/sell.md`
    expect(await said(it, 'step --effort EFFORT')).toContain(next)
    expect(await said(it, 'status')).toContain(next)
    expect(await said(it, 'effort finish EFFORT')).toContain(next)
    expect(await said(it, 'recap --effort EFFORT')).toMatch(
      /^Next: finish step "oven", then do step "sell" .* or do step "glaze", optional/m,
    )
  })

  test('do not ask for an optional step again that failed', async () => {
    const it = await begun(BAKE)
    await it.read(`${S}/mix.md`)
    await it.read(`${S}/glaze.md`)
    await it.good('step fail glaze --effort EFFORT --reason dull')
    expect(it.said).toContain('Step "glaze" failed (dull), try 1. Do it again or leave it out.')
    for (const name of ['oven', 'sell']) await it.read(`${S}/${name}.md`)
    await it.good('step done --effort EFFORT')
    expect(it.said).toContain('Step "glaze" failed (dull), try 1.\n')
    expect(await said(it, 'recap --effort EFFORT')).toMatch(/^Done: mix, oven, sell\.$/m)
    await it.good('effort finish EFFORT')
    expect(await said(it, 'step --effort EFFORT')).not.toContain('Do it again')
  })
})

describe('steps with a loop', () => {
  test('tell the way back where they tell the way on', async () => {
    const it = await begun(BAKE)
    await it.read(`${S}/mix.md`)
    await it.read(`${S}/oven.md`)
    const back = `holdfast step done oven --effort ${it.effort} --outcome again`
    expect(await said(it, 'step --effort EFFORT')).toContain(`or: ${back}`)
    expect(await said(it, 'recap --effort EFFORT')).toContain(`For another outcome, run: ${back}`)
    await it.good(back.slice('holdfast '.length))
    const recap = await said(it, 'recap --effort EFFORT')
    expect(recap).not.toMatch(/^Done: /m)
    expect(recap).toContain('Next: do step "mix"')
  })
})

test('a step that the mode leaves out is said to be left out, with the next action that the plan has', async () => {
  const it = new Scene(user, BAKE)
  await it.fire('SessionStart', { source: 'startup' })
  await it.good('effort start .holdfast/tasks/q flow --mode quick')
  const [, effort] = /effort (\d+)/.exec(it.said) ?? []
  it.effort = Number(effort)
  await it.read(`${S}/mix.md`)
  await it.read(`${S}/oven.md`)
  expect(launched((await it.read(`${S}/sell.md`)) ?? '')).toBe(
    `Holdfast: step "sell" is left out of this effort. Next: run holdfast step done oven --effort ${effort}`,
  )
})

describe('a phase whose proof decides what follows', () => {
  const files = side(`variables: {confidence: low}
phases:
  - {label: "1", name: Diagnose, proof: [confidence]}
  - {label: "2", name: Look again, when: {confidence: low}}
  - {label: "3", name: Fix}
`)

  test.each([
    ['low', '2: Look again'],
    ['high', '3: Fix'],
  ])('with %s leads on by the command that was told', async (value, phase) => {
    const it = await begun(files)
    await it.good('step go 1 --effort EFFORT')
    const told = /next: holdfast (.*)$/m.exec(await said(it, 'step --effort EFFORT'))?.[1] ?? ''
    expect(await said(it, 'recap --effort EFFORT')).toContain(`To go on, run: holdfast ${told}`)
    await it.good(told.replace('____', value))
    await it.good('effort show EFFORT')
    expect(it.said).toContain(`in    ${phase}`)
  })

  test('that is left out is refused with the command that works', async () => {
    const it = await begun(files)
    await it.good('step go 1 --effort EFFORT')
    const command = `step go '2: Look again' --effort EFFORT --proof '{"confidence":"high"}'`
    const refused = launched((await it.bad(command)) ?? '')
    expect(refused).toContain('"2: Look again" is left out')
    const [, next = ''] = /Next: run holdfast (.*)$/.exec(refused) ?? []
    await it.good(next)
    await it.good('effort show EFFORT')
    expect(it.said).toContain('in    3: Fix')
  })
})

test('a parked plan names the step that it waits at, and none that has ended well', async () => {
  const it = await begun(
    side(
      'pipeline:\n  - {id: branch, prompt: Branch., optional: true}\n  - {id: build, prompt: Build it., limit: 1}\n  - {id: end, prompt: End.}\n',
    ),
  )
  await it.good('step go branch --effort EFFORT')
  await it.good('step fail branch --effort EFFORT --reason red')
  await it.good('step done branch --effort EFFORT')
  await it.bad('step fail build --effort EFFORT --reason red')
  for (const command of ['step --effort EFFORT', 'status', 'recap --effort EFFORT']) {
    const text = await said(it, command)
    expect(text).toContain(`holdfast effort approve ${it.effort} build`)
    expect(text).not.toContain('approve 1 branch')
    expect(text).not.toContain(`approve ${it.effort} branch`)
  }
})

test('a recap of a plan that is carried out names what is open, not a finish that is refused', async () => {
  const it = await begun(
    side(
      'phases:\n  - {label: "1", name: Make, proof: [how]}\n  - {label: "2", name: Tell, optional: true}\nrequired_todos: [feed the cat]\n',
    ),
  )
  await it.good('step go 1 --effort EFFORT')
  await it.good('step done 1 --effort EFFORT --how well')
  const recap = await said(it, 'recap --effort EFFORT')
  expect(recap).toContain(
    `Every required step is done. Run: holdfast effort tick ${it.effort} 'feed the cat'`,
  )
  expect(recap).not.toContain('Proof required to leave it')
  expect(recap).not.toContain(`effort finish ${it.effort}`)
})

test('a phase that was left by another outcome owes no proof', async () => {
  const it = await begun(
    side(
      'phases:\n  - {label: "1", name: Draft, limit: 1, onLimit: "3"}\n  - {label: "2", name: Judge, proof: [why], next: {again: "1"}}\n  - {label: "3", name: Ask}\n',
    ),
  )
  await it.good('step go 1 --effort EFFORT')
  await it.good('step go 2 --effort EFFORT')
  await it.good('step done 2 --effort EFFORT --outcome again')
  await it.good('step done 3 --effort EFFORT')
  expect(await it.bad('effort validate EFFORT')).toBeUndefined()
})

test('a step for sub-agents counts those of its newest try, in the refusal as in the state', async () => {
  const files = {
    ...skill('flow'),
    [`${S}/look.md`]: step('consumes: [user-request]\nproduces: [view]\ndispatch: 2'),
  }
  const it = await begun(files)
  const file = `${it.project}/${S}/look.md`
  const give = (reports: string) =>
    `do step "look": give it to 2 sub-agents; 2 of them must succeed${reports} (name ${file} in each prompt; each must read it)`
  await it.delegate(`Do ${file}`, { file, isGood: true })
  expect(await said(it, 'step done look --effort EFFORT')).toContain(give(', 1 has and 0 have failed'))
  await it.good('step fail look --effort EFFORT --reason poor')
  const refused = await said(it, 'step done look --effort EFFORT')
  expect(refused).toContain('waits for 2 more of its sub-agents')
  expect(refused).toContain(give(''))
})
