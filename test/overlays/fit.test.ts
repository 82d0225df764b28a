import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { advance, begin, type Move } from '../../src/model/plan/advance.ts'
import type { Plan } from '../../src/model/plan/plan.ts'
import { opensLater } from '../../src/model/plan/writes.ts'
import { propose } from '../../src/skills/propose.ts'
import { asSkill, PACKAGED, planOf, readWith } from './packaged.ts'

describe.each(PACKAGED.map((one) => [one.key, one] as const))('%s', (_, one) => {
  const sameSkill = PACKAGED.filter(({ skill }) => skill === one.skill).map(({ text }) => text)

  test('is what the package proposes for a skill with its headings', () => {
    const proposal = propose(asSkill(one), sameSkill)
    expect(proposal?.from).toBe('package')
    expect(proposal?.text).toBe(one.text)
  })

  test('gives no cause for a diagnostic', () => {
    expect(readWith(one).diagnostics).toEqual([])
  })

  test('is not proposed for another skill of the same name', () => {
    const other = `---\nname: ${one.skill}\ndescription: Is another one.\n---\n\n## Step 1: Begin\n\n## Step 2: End\n`
    expect(propose({ ...asSkill(one), text: other }, sameSkill)?.from).not.toBe('package')
  })
})

test('each skeleton belongs to an overlay', () => {
  const skeletons = readdirSync(new URL('skeletons', import.meta.url))
  expect(skeletons.toSorted()).toEqual(PACKAGED.map(({ key }) => `${key}.md`).toSorted())
})

const planFor = (key: string): Plan => {
  const one = PACKAGED.find((packaged) => packaged.key === key)
  if (one === undefined) throw new Error(`There is no overlay ${key}.`)
  return planOf(one)
}

/** Which of these files the plan of an overlay holds back at its beginning. */
function heldAmong(files: readonly string[], key: string): readonly string[] {
  const plan = planFor(key)
  return files.filter((file) => opensLater(plan, begin(plan), file) !== undefined)
}

const CODE = [
  'src/app.ts',
  'lib/latest.js',
  'app/models/user.rb',
  'app/page.tsx',
  'package/module.py',
  'main.go',
  'internal/server/server.go',
  'src/main/java/org/example/App.java',
  'Sources/App/Main.swift',
  'packages/core/src/index.mts',
]
const TESTS = [
  'src/app.test.ts',
  'src/__tests__/app.ts',
  'lib/app_spec.rb',
  'spec/models/user_spec.rb',
  'tests/test_module.py',
  'package/test_module.py',
  'package/module_test.py',
  'conftest.py',
  'internal/server/server_test.go',
  'src/test/java/org/example/AppTest.java',
  'Tests/AppTests/MainTests.swift',
  'Shop.Tests/CartTests.cs',
  'packages/core/test/index.mts',
]
const NOTES = ['docs/plan.md', 'README.md', '.github/workflows/ci.yml']

test.each(['test-driven-development', 'tdd'])('%s holds back code, not tests beside it', (key) => {
  expect(heldAmong(CODE, key)).toEqual(CODE)
  const free = [...TESTS, ...NOTES, 'package.json', 'vitest.config.ts', 'src/lib.rs']
  expect(heldAmong(free, key)).toEqual([])
})

test.each(['systematic-debugging', 'diagnosing-bugs', 'ce-debug', 'investigate'])(
  '%s holds back everything but tests, reproductions and notes',
  (key) => {
    const held = [...CODE, 'src/lib.rs', 'package.json']
    expect(heldAmong(held, key)).toEqual(held)
    expect(heldAmong([...TESTS, ...NOTES, 'repro.sh', 'scripts/trace.sh', 'tmp/probe.ts'], key)).toEqual([])
  },
)

test.each(['brainstorming', 'writing-plans', 'feature-dev', 'ce-plan'])(
  '%s holds back everything but documents',
  (key) => {
    const held = [...CODE, ...TESTS, 'package.json']
    expect(heldAmong(held, key)).toEqual(held)
    expect(heldAmong(NOTES, key)).toEqual([])
  },
)

test.each([
  ['systematic-debugging', '4', '5'],
  ['investigate', '4', '6'],
])('%s: the third fix that fails closes the code and leads to the user', (key, fix, asking) => {
  const plan = planFor(key)
  const before = plan.steps.slice(
    0,
    plan.steps.findIndex(({ label }) => label === fix),
  )
  const round: readonly Move[] = [
    ...before.flatMap(({ id }): readonly Move[] => [
      { kind: 'enter', step: id },
      { kind: 'leave', step: id, outcome: 'ok' },
    ]),
    { kind: 'enter', step: fix },
    { kind: 'leave', step: fix, outcome: 'again' },
  ]
  const progress = [...round, ...round, ...round].reduce((now, move) => {
    const next = advance(plan, now, move)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }, begin(plan))
  expect(progress.open).toEqual([asking])
  expect(opensLater(plan, progress, 'src/app.ts')?.label).toBe('3')
})
