import { describe, expect, test } from 'vitest'
import { clients } from '../clients/index.ts'
import { findCandidates } from './find.ts'
import { readAll } from './read-all.ts'

describe('the kind of a path', () => {
  test.each([
    ['a/SKILL.md', 'skill a'],
    ['a/skill.md', 'skill a'],
    ['a/SKILL.MD', 'skill a'],
    ['agents/a/SKILL.md', 'skill a'],
    ['commands/a/SKILL.md', 'skill a'],
    ['commands/skill.md', 'command skill'],
    ['.claude/commands/git/tidy.md', 'command tidy'],
    ['.claude/agents/reviewer.md', 'agent reviewer'],
    ['.claude/skills/sub-agents/SKILL.md', 'skill sub-agents'],
    ['plugins/tools/skills/a/SKILL.md', 'skill tools:a'],
    ['plugins/by-subject/tools/skills/a/SKILL.md', 'skill tools:a'],
    ['plugins/tools/commands/go.md', 'command tools:go'],
    ['plugins/tools/agents/b.md', 'agent tools:b'],
    ['.claude/plugins/tools/skills/a/SKILL.md', 'skill tools:a'],
    ['plugins/.hidden/skills/a/SKILL.md', 'skill a'],
    ['docs/ja-JP/skills/a/SKILL.md', 'skill a'],
    ['SKILL.md', 'skill .'],
  ])('%s is %s', (path, expected) => {
    expect(findCandidates([path]).map(({ kind, id }) => `${kind} ${id}`)).toEqual([expected])
  })

  test.each([
    'README.md',
    '.claude/agents/README.md',
    '.claude/agents/AGENTS.md',
    'agents/a.md',
    'skills/a/agents/b.md',
    'plugins/tools/skills/a/agents/b.md',
    'docs/agents/a.md',
    'a/SKILL.md.bak',
    'a/steps/one.md',
  ])('%s is nothing', (path) => expect(findCandidates([path])).toEqual([]))

  test('instruction files of a client are not agents, in any folder', () => {
    expect(findCandidates(['.claude/agents/CLAUDE.md', '.claude/agents/claude.md'], { clients })).toEqual([])
    expect(findCandidates(['.claude/agents/CLAUDE.md'])).toHaveLength(1)
  })
})

test('the files of a skill are its sidecar, its runbooks and its steps, and no file of another skill', () => {
  const own = [
    'a/holdfast.yaml',
    'a/runbook.md',
    'a/runbook-phase-2.md',
    'a/steps/one.md',
    'a/steps-v/step-v-01.md',
    'a/domain-steps/step-01.md',
  ]
  const foreign = [
    'a/b/steps/one.md',
    'a/notes.md',
    'steps/one.md',
    'a/steps/deep/two.md',
    'a/steps/SKILL.md',
  ]
  const [skill] = findCandidates(['a/SKILL.md', ...own, ...foreign])
  expect(skill?.others).toEqual(own)
  expect(findCandidates(['SKILL.md', 'steps/one.md', 'holdfast.yml'])[0]?.others).toEqual([
    'steps/one.md',
    'holdfast.yml',
  ])
})

describe('the id of a skill', () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: Does things.\n---\n`
  const ids = (files: Readonly<Record<string, string>>, root?: string) =>
    readAll(Object.keys(files), { textOf: (path) => files[path] ?? '', root, clients }).map(
      ({ definition, diagnostics }) =>
        [definition.id, definition.name, ...diagnostics.map(({ code }) => code)].join(' '),
    )

  test('is its folder; the name is an alias, and a difference gets a diagnostic', () => {
    expect(ids({ 'a/SKILL.md': skill('b') })).toEqual(['a b HF106'])
  })

  test('that occurs twice below one folder of a client gets a diagnostic at the second', () => {
    const two = (one: string, other: string, text = 'Another.') =>
      ids({ [one]: skill('setup'), [other]: skill('setup') + text })[1]
    expect(two('skills/p/setup/SKILL.md', 'skills/q/setup/SKILL.md')).toBe('setup setup HF109')
    expect(two('.claude/skills/setup/SKILL.md', '.claude/skills/q/setup/SKILL.md')).toBe('setup setup HF109')
    expect(two('commands/p/setup.md', 'commands/q/setup.md')).toBe('setup setup HF109')
  })

  test('may occur again as a copy, a translation, in an archive, or for another client or repository', () => {
    const two = (one: string, other: string, text = 'Another.') =>
      ids({ [one]: skill('setup'), [other]: skill('setup') + text })[1]
    expect(two('skills/p/setup/SKILL.md', 'skills/q/setup/SKILL.md', '')).toBe('setup setup')
    expect(two('skills/setup/SKILL.md', 'skills/archive/setup/SKILL.md')).toBe('setup setup')
    for (const other of ['docs/ja/skills', '.codex/skills', 'other/skills', 'setup-copy'])
      expect(two('.claude/skills/setup/SKILL.md', `${other}/setup/SKILL.md`)).toBe('setup setup')
    expect(ids({ 'commands/setup.md': skill('setup'), 'setup/SKILL.md': skill('setup') })).toEqual([
      'setup setup',
      'setup setup',
    ])
  })

  test('in a plugin has the name from its plugin.json as its prefix', () => {
    const plugin = (name: string) => JSON.stringify({ author: { name: 'somebody' }, name })
    expect(
      ids({
        '.claude-plugin/plugin.json': plugin('outer'),
        'skills/a/SKILL.md': skill('a'),
        '.claude/skills/b/SKILL.md': skill('b'),
        'tools/.claude-plugin/plugin.json': plugin('inner'),
        'tools/skills/a/SKILL.md': skill('a'),
        'tools/commands/go.md': skill('go'),
      }),
    ).toEqual(['outer:a a', 'b b', 'inner:a a', 'inner:go go'])
  })

  test.each(['', '{', '[]', '{"name": 7}'])('ignores a plugin.json that is %j', (text) => {
    expect(ids({ '.claude-plugin/plugin.json': text, 'skills/a/SKILL.md': skill('a') })).toEqual(['a a'])
  })

  test('that is checked alone is the name of its folder', () => {
    expect(ids({ 'SKILL.md': skill('review') }, 'review')).toEqual(['review review'])
  })
})
