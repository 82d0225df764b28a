import { describe, expect, test } from 'vitest'
import { readAll } from './read-all.ts'

const head = (more = '') => `---\nname: plan\ndescription: Plans.\n${more}---\n\n`

function see(files: Readonly<Record<string, string>>, known: readonly string[] = []) {
  const [first] = readAll(Object.keys(files), { textOf: (path) => files[path] ?? '', known })
  return {
    strays: (first?.diagnostics ?? [])
      .filter(({ code }) => code === 'HF115')
      .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`),
    definition: first?.definition,
  }
}
const others = {
  'execute/SKILL.md': '---\nname: run-it\ndescription: Executes.\n---\n',
  'commands/commit.md': 'Commit.\n',
  'plugins/tools/skills/lint/SKILL.md': '---\nname: lint\ndescription: Lints.\n---\n',
}
const strays = (text: string, more: Readonly<Record<string, string>> = {}, known?: readonly string[]) =>
  see({ 'plan/SKILL.md': text, ...more, ...others }, known).strays

describe('references to unknown skills', () => {
  test.each([
    ['next-skill: exceute', 'plan/SKILL.md:4:1', 'exceute', 'execute'],
    ['next-skill: /exceute --fast', 'plan/SKILL.md:4:1', 'exceute', 'execute'],
    ['pipeline: [plan, execute, comit]', 'plan/SKILL.md:4:1', 'comit', 'commit'],
    ['pipeline: plan → comit -> execute', 'plan/SKILL.md:4:1', 'comit', 'commit'],
    ['handoff: comit', 'plan/SKILL.md:4:1', 'comit', 'commit'],
    ['continuation: {cooperative: true, default-exit: ["/comit"]}', 'plan/SKILL.md:4:1', 'comit', 'commit'],
  ])('get a diagnostic: %s', (field, place, name, meant) => {
    expect(strays(head(`${field}\n`))).toEqual([
      `${place} ${name} is not a known skill or command; did you mean ${meant}?`,
    ])
  })

  test('in the JSON block get a diagnostic at their line', () => {
    const text = `${head()}\`\`\`json\n{\n  "phases": [{"label": "1", "name": "a"}],\n  "nextSkills": ["/execute", "/zzzzzz"]\n}\n\`\`\`\n`
    expect(strays(text)).toEqual(['plan/SKILL.md:9:30 zzzzzz is not a known skill or command.'])
  })

  test('in the sidecar get a diagnostic there', () => {
    expect(
      strays(head(), { 'plan/holdfast.yaml': 'heartbeat: 3\ncontinuation: [execute, zzzzzz]\n' }),
    ).toEqual(['plan/holdfast.yaml:2:1 zzzzzz is not a known skill or command.'])
  })

  test('in calls of the Skill tool get a diagnostic with their column', () => {
    expect(strays(`${head()}Then \`Skill("execute")\` or Skill(skill: "zzzzzz", args: "x").\n`)).toEqual([
      'plan/SKILL.md:6:28 zzzzzz is not a known skill or command.',
    ])
  })
})

describe('no diagnostic is given for', () => {
  test.each([
    ['skills, commands, aliases and itself', 'next-skill: [execute, commit, run-it, plan]'],
    ['a skill of a plugin, with its plugin or without', 'pipeline: [tools:lint, lint]'],
    ['the commands of a client', 'pipeline: [compact, review]'],
    ['an unknown plugin', 'next-skill: elsewhere:thing'],
    ['a path', 'handoff: .notes/specs/plan-{slug}.md'],
    ['a placeholder', 'next-skill: "{next}"'],
    ['a setting for cooperation', 'continuation: {cooperative: true}'],
    ['a skill that terminates', 'continuation: {cooperative: true, default-exit: []}'],
  ])('%s', (_, field) => expect(strays(head(`${field}\n`))).toEqual([]))

  test('slashes in prose, and calls in code', () => {
    expect(strays(`${head()}Use /zzzzzz and /tmp/x.\n\n\`\`\`\nSkill("zzzzzz")\n\`\`\`\n`)).toEqual([])
  })

  test('names that the caller knows, such as the folders beside a skill that is checked alone', () => {
    expect(strays(head('next-skill: zzzzzz\n'), {}, ['zzzzzz'])).toEqual([])
  })
})

describe('settings of the engine', () => {
  test('come from the frontmatter and the sidecar, which wins; unknown settings are kept', () => {
    const files = {
      'plan/SKILL.md': head('uses_skill_run: true\nheartbeat: 10\n'),
      'plan/holdfast.yaml': 'heartbeat: 3\nresult: {type: object}\nlater: [1]\ngate: produced\n',
    }
    expect(see(files).definition?.engine).toEqual({
      uses_skill_run: true,
      heartbeat: '3',
      result: { type: 'object' },
      later: ['1'],
    })
  })

  test('are empty if the author wrote none', () => {
    expect(see({ 'plan/SKILL.md': head() }).definition).toMatchObject({ engine: {}, leadsTo: [] })
  })
})
