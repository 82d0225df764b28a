import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { advance, begin } from '../model/plan/advance.ts'
import { readAll } from './read-all.ts'
import { readSkill } from './skill-md.ts'

const HEAD = '---\nname: ship\ndescription: Ships.\n---\n'
const read = (yaml: string) =>
  readSkill({
    kind: 'skill',
    id: 'ship',
    folder: 'ship',
    file: 'ship/SKILL.md',
    text: HEAD,
    others: new Map([['holdfast.yaml', yaml]]),
  })
const problems = (yaml: string) =>
  read(yaml).diagnostics.map(({ code, line, message }) => `${code}:${line} ${message}`)

describe('a pipeline in holdfast.yaml', () => {
  test('is a plan of consecutive steps, each with its skill and its limit of attempts', () => {
    const { definition, diagnostics } = read(`pipeline:
  - skill: /explore
    args: $ARGUMENTS
    verify: {file: docs/plan.md}
  - id: build
    title: Build it
    command: npm run build
    verify: |
      the build
      is green
    limit: 3
    onError: report
  - {id: report, prompt: "Tell the user.", optional: yes}
`)
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({
      notation: 'workflow',
      explicit: true,
      gate: 'produced',
      entry: ['explore'],
    })
    expect(definition.plan?.steps).toMatchObject([
      {
        id: 'explore',
        runs: { kind: 'skill', name: 'explore', args: '$ARGUMENTS' },
        verify: { kind: 'file', path: 'docs/plan.md' },
        limit: 2,
        next: { ok: ['build'], fail: ['explore'] },
        place: { file: 'ship/holdfast.yaml', line: 2 },
      },
      {
        id: 'build',
        title: 'Build it',
        runs: { kind: 'command', command: 'npm run build' },
        verify: { kind: 'shown', condition: 'the build is green' },
        limit: 3,
        next: { ok: [], fail: ['build', 'report'] },
        place: { line: 5 },
      },
      { id: 'report', optional: true, next: { ok: [], skip: [], fail: ['report'] } },
    ])
    expect(definition.engine).toEqual({})
  })

  const ways = (...lines: readonly string[]) => {
    const { definition, diagnostics } = read(
      `pipeline:\n${lines.map((line) => `  - {${line}, prompt: x}\n`).join('')}`,
    )
    const steps = definition.plan?.steps ?? []
    return {
      codes: diagnostics.map(({ code }) => code),
      entry: definition.plan?.entry,
      ways: steps.map(({ id, next }) => `${id} → ${next?.['ok']?.join(' or ') ?? ''}`),
      steps,
    }
  }

  test('never falls into a step that only a failure leads to, and ends after it', () => {
    const undo = ways('id: a', 'id: b, onError: undo', 'id: c', 'id: undo')
    expect(undo.ways).toEqual(['a → b', 'b → c', 'c → ', 'undo → '])
    expect(undo.codes).toEqual([])
    expect(ways('id: a, onError: undo', 'id: undo', 'id: b').ways).toEqual(['a → b', 'undo → ', 'b → '])
    expect(ways('id: a, onLimit: ask', 'id: ask', 'id: b').ways).toEqual(['a → b', 'ask → ', 'b → '])
  })

  test('of the guide ends after success without its undo, which a failure leads to', () => {
    const guide = readFileSync('docs/skills.md', 'utf8')
    const [, yaml = ''] = /^```yaml\n(pipeline:\n.*?)^```$/ms.exec(guide) ?? []
    const { plan } = read(yaml).definition
    if (plan === undefined) throw new Error('The guide has no pipeline.')
    const run = (failing: string) => {
      const done: string[] = []
      let progress = begin(plan)
      for (
        let [step] = progress.open;
        step !== undefined && progress.status === 'running';
        [step] = progress.open
      ) {
        const outcome = step === failing ? 'fail' : 'ok'
        for (const move of [{ kind: 'enter', step } as const, { kind: 'leave', step, outcome } as const]) {
          const moved = advance(plan, progress, move)
          if (moved.ok) ({ progress } = moved)
        }
        done.push(step)
      }
      return `${done.join(' ')}, ${progress.status}`
    }
    expect(run('')).toBe('branch explore build commit, completed')
    expect(run('build')).toBe('branch explore build build build undo, completed')
  })

  test('reaches such a step if a next names it, and leaves it where its next says', () => {
    expect(ways('id: a, onError: report', 'id: b, next: report', 'id: report').ways).toEqual([
      'a → b',
      'b → report',
      'report → ',
    ])
    expect(ways('id: a, onError: mend', 'id: b', 'id: mend, next: a').ways).toEqual([
      'a → b',
      'b → ',
      'mend → a',
    ])
  })

  test('reaches a step that a later failure leads back to', () => {
    const back = ways('id: a', 'id: b', 'id: c, onError: b')
    expect(back).toMatchObject({ entry: ['a'], ways: ['a → b', 'b → c', 'c → '] })
    expect(back.steps[2]?.next).toEqual({ ok: [], fail: ['c', 'b'] })
  })

  test('says loops, guards, modes, sub-agents and files', () => {
    const { steps, codes } = ways(
      'id: a, dispatch: {count: 3, join: any}, writes: [src/**]',
      'id: b, next: {again: a, ok: end}, limit: 4, onLimit: c',
      'id: c, only: full, optional: yes',
    )
    expect(codes).toEqual([])
    expect(steps).toMatchObject([
      { dispatch: { count: 3, join: 1 }, writes: ['src/**'], limit: 2, next: { ok: ['b'] } },
      { next: { again: ['a'], ok: [], fail: ['b'] }, limit: 4, onLimit: 'c' },
      { only: 'full', optional: true },
    ])
  })

  test('runs commands itself, has reports checked by commands, and reads flags', () => {
    const { definition, diagnostics } = read(`variables: {dry: "no"}
flags: {--dry-run: {dry: yes}}
pipeline:
  - {id: a, run: " git fetch "}
  - {id: b, prompt: x, verify: {condition: it builds, command: make}, when: {dry: "no"}}
`)
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({
      flags: { '--dry-run': { dry: 'yes' } },
      steps: [
        { runs: { kind: 'own', command: 'git fetch' } },
        { verify: { kind: 'command', condition: 'it builds', command: 'make' }, when: { dry: 'no' } },
      ],
    })
  })

  test.each([
    [
      'variables: {dry: "no"}\nflags: {--continue: {dry: yes}}\npipeline: [{id: a, prompt: x}]\n',
      'HF114:2 flags must be values of variables by flag, such as {--dry-run: {dry_run: "yes"}}; --continue is taken.',
    ],
    [
      'flags: {--dry-run: {dry: yes}}\npipeline: [{id: a, prompt: x}]\n',
      'HF114:1 flags sets dry, which variables does not declare.',
    ],
    [
      'pipeline:\n  - {id: a, prompt: y, verify: {command: x}}\n',
      'HF211:2 Step a: verify must be a condition in words, {file: PATH} for a file that must exist, or {condition: WORDS, command: LINE} for a command that must exit with 0, not an object.',
    ],
    [
      'pipeline:\n  - id: a\n    run: |\n      one\n      two\n',
      'HF211:2 Step a: run must be one line of text, not "one\\ntwo\\n".',
    ],
    ['pipeline: build\n', 'HF211:1 pipeline must be a list of 1 to 100 steps.'],
    ['pipeline: []\n', 'HF211:1 pipeline must be a list of 1 to 100 steps.'],
    ['pipeline: [build]\n', 'HF211:1 Step 1 of the pipeline must be an object, not "build".'],
    ['pipeline:\n  - {id: a}\n', 'HF211:2 Step a must have exactly one of skill, command, prompt and run.'],
    [
      'pipeline:\n  - {id: a, skill: x, prompt: y}\n',
      'HF211:2 Step a must have exactly one of skill, command, prompt and run.',
    ],
    ['pipeline:\n  - {prompt: y}\n', 'HF211:2 Step 1 of the pipeline has no id.'],
    [
      'pipeline:\n  - {id: a b, prompt: y}\n',
      'HF211:2 Step 1 of the pipeline: id must be a string without spaces, not "a b".',
    ],
    [
      'pipeline:\n  - {id: a, prompt: y, limit: 0}\n',
      'HF211:2 Step a: limit must be a whole number above 0, not "0".',
    ],
    [
      'pipeline:\n  - {id: a, prompt: y, verify: {files: x}}\n',
      'HF211:2 Step a: verify must be a condition in words, {file: PATH} for a file that must exist, or {condition: WORDS, command: LINE} for a command that must exit with 0, not an object.',
    ],
    [
      'pipeline:\n  - {id: a, prompt: y, limt: 2}\n',
      'HF209:2 Step a has an unknown field limt; did you mean limit?',
    ],
    [
      'pipeline:\n  - {id: a, prompt: x}\n  - {id: a, prompt: y}\n',
      'HF301:3 Step a is already defined at ship/holdfast.yaml:2.',
    ],
    [
      'pipeline:\n  - {id: a, prompt: x, next: {again: z}}\n',
      'HF302:2 Step a leads to z, which does not exist.',
    ],
    [
      'pipeline:\n  - {id: a, prompt: x, writes: [/etc]}\n',
      'HF211:2 Step a: writes must be a list of patterns inside the project, such as [src/**], not a list.',
    ],
    ['pipeline:\n  - {id: a, prompt: x, onError: z}\n', 'HF302:2 Step a leads to z, which does not exist.'],
    [
      'phases: [{label: "1", name: A}]\npipeline: [{id: a, prompt: x}]\n',
      'HF114:2 holdfast.yaml has both phases and a pipeline; only the phases are used.',
    ],
  ])('%j: %s', (yaml, problem) => {
    expect(problems(yaml)).toContain(problem)
  })

  test('that is invalid gives no plan, and no other notation replaces it', () => {
    expect(read('pipeline: [{id: a}]\n').definition.plan).toBeUndefined()
  })

  test('requires existing skills', () => {
    const files = new Map([
      ['ship/SKILL.md', HEAD],
      ['ship/holdfast.yaml', 'pipeline:\n  - {skill: explore}\n  - {id: b, skill: exlpore}\n'],
      ['explore/SKILL.md', '---\nname: explore\ndescription: Explores.\n---\n'],
    ])
    const [, ship] = readAll([...files.keys()], { textOf: (path) => files.get(path) ?? '' }).toSorted(
      (a, b) => (a.definition.id < b.definition.id ? -1 : 1),
    )
    expect(ship?.diagnostics).toMatchObject([
      {
        code: 'HF115',
        file: 'ship/holdfast.yaml',
        line: 3,
        message: expect.stringContaining('did you mean explore?'),
      },
    ])
  })
})
