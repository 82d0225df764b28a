import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOTATIONS } from '../../src/skills/scaffold.ts'
import { User } from '../holdfast.ts'

let user: User
beforeAll(() => {
  user = new User()
})
afterAll(() => user[Symbol.asyncDispose]())

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
}

interface Checked {
  readonly skills: readonly { readonly id: string; readonly enforceable: boolean }[]
  readonly diagnostics: readonly { readonly code: string; readonly file: string; readonly line: number }[]
}

describe('a new skill', () => {
  test.each(NOTATIONS.map((notation) => [notation]))(
    'in the notation %s passes the check',
    async (notation) => {
      const { files } = await user.json<{ files: string[] }>([
        'skill',
        'new',
        `my-${notation}`,
        '--notation',
        notation,
      ])
      expect(files).toContain('SKILL.md')
      const checked = await user.json<Checked>([
        'skill',
        'check',
        `.claude/skills/my-${notation}`,
        '--run-modules',
      ])
      expect(checked.diagnostics).toEqual([])
      expect(checked.skills).toMatchObject([{ enforceable: notation !== 'plain' }])
    },
  )

  test('never overwrites an existing one, and has a valid name', async () => {
    await user.json(['skill', 'new', 'mine'])
    const path = join(user.project, '.claude/skills/mine/SKILL.md')
    writeFileSync(path, 'changed by hand')
    expect((await user.run(['skill', 'new', 'mine'])).code).toBe(1)
    expect(readFileSync(path, 'utf8')).toBe('changed by hand')
    expect((await user.run(['skill', 'new', 'My Skill'])).stderr).toContain('holdfast skill new my-skill')
    expect((await user.run(['skill', 'new', 'My Skill', '--notation', 'steps'])).stderr).toContain(
      'holdfast skill new my-skill --notation steps',
    )
    expect((await user.run(['skill', 'new', 'x', '--notation', 'odd'])).stderr).toContain(
      'plain, phases, steps, runbook, workflow',
    )
  })
})

describe('the check', () => {
  test('prints like a compiler: place, code, message, the line with a caret, the fix', async () => {
    put({ 'bad/one/SKILL.md': '---\nname: one\ndescription: Two passes: a, b\n---\n' })
    const { code, stdout } = await user.run(['skill', 'check', 'bad'])
    expect(code).toBe(1)
    expect(stdout).toContain('bad/one/SKILL.md:3:14: error HF101: The frontmatter is not valid YAML')
    expect(stdout).toContain(
      '3 | description: Two passes: a, b\n  |              ^\n  = hint: Quote the value',
    )
    expect(stdout).toContain('1 skill, 1 error, 0 warnings')
  })

  test('prints the same as JSON and as SARIF, with exit code 1 only for errors', async () => {
    put({ 'warn/two/SKILL.md': '---\nname: other\ndescription: d\n---\n' })
    const { code, stdout } = await user.run(['skill', 'check', 'warn', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      skills: [{ id: 'two' }],
      diagnostics: [{ code: 'HF106', file: 'two/SKILL.md', line: 2 }],
    })
    const sarif = JSON.parse((await user.run(['skill', 'check', 'warn', '--sarif'])).stdout) as {
      runs: { results: object[] }[]
    }
    expect(sarif.runs[0]?.results).toMatchObject([
      {
        ruleId: 'HF106',
        level: 'warning',
        locations: [{ physicalLocation: { artifactLocation: { uri: 'warn/two/SKILL.md' } } }],
      },
    ])
  })

  test('counts one entry for each SKILL.md, in upper or lower case', async () => {
    put({
      'many/a/SKILL.md': '# A\n',
      'many/b/skill.md': '# B\n',
      'many/commands/skill.md': '# a command\n',
      'many/dist/d/SKILL.md': '# D\n',
      'many/node_modules/c/SKILL.md': '# not ours\n',
    })
    const { skills } = await user.json<Checked>(['skill', 'check', 'many'])
    expect(skills.map(({ id }) => id)).toEqual(['a', 'b', 'd'])
  })

  test('of one skill knows its folder, its siblings and the commands beside them', async () => {
    const next = (name: string, skill: string) =>
      `---\nname: ${name}\ndescription: d\npipeline: [${skill}]\n---\n`
    put({
      'chain/skills/one/SKILL.md': next('one', 'two, ship'),
      'chain/skills/two/SKILL.md': next('two', 'three'),
      'chain/commands/ship.md': '# ship\n',
      'chain/.claude-plugin/plugin.json': '{"name": "tools"}',
    })
    const alone = await user.json<Checked>(['skill', 'check', 'chain/skills/one'])
    const strays = ({ diagnostics }: Checked) => diagnostics.filter(({ code }) => code === 'HF115')
    expect(alone.skills).toMatchObject([{ id: 'one' }])
    expect(strays(alone)).toEqual([])
    const all = await user.json<Checked>(['skill', 'check', 'chain'])
    expect(all.skills.map(({ id }) => id)).toEqual(['tools:one', 'tools:two'])
    expect(strays(all)).toMatchObject([{ file: 'skills/two/SKILL.md', line: 4 }])
  })

  test('reports two skills of one name, and survives link cycles', async () => {
    put({ 'twice/skills/a/setup/SKILL.md': '# A\n', 'twice/skills/b/setup/SKILL.md': '# B\n' })
    symlinkSync('..', join(user.project, 'twice/skills/a/loop'))
    symlinkSync('nothing', join(user.project, 'twice/skills/a/gone'))
    const { skills, diagnostics } = await user.json<Checked>(['skill', 'check', 'twice'])
    expect(skills).toHaveLength(2)
    expect(diagnostics.filter(({ code }) => code === 'HF109')).toMatchObject([
      { file: 'skills/b/setup/SKILL.md' },
    ])
  })

  test('of a missing folder is an error', async () => {
    const { code, stderr } = await user.run(['skill', 'check', 'nowhere'])
    expect(code).toBe(66)
    expect(stderr).toContain('does not exist')
  })

  test('prints notes only on request', async () => {
    put({ 'noted/n/skill.md': '---\nname: n\ndescription: d\n---\n' })
    expect((await user.run(['skill', 'check', 'noted'])).stdout).toBe(
      '1 skill, 0 errors, 0 warnings, 1 note (print them with --notes)\nn is not enforceable: it has no plan. Create an example: holdfast skill new NAME --notation steps\n',
    )
    expect((await user.run(['skill', 'check', 'noted', '--notes'])).stdout).toContain('info HF113')
  })

  test('starts no daemon', async () => {
    await user.run(['skill', 'check'])
    expect(existsSync(join(user.folder, 'home'))).toBe(false)
  })
})

describe('a plan', () => {
  test('is shown with its variables, its limits and the steps that errors concern', async () => {
    put({
      'said/tdd/SKILL.md': '---\nname: tdd\ndescription: Tests first.\n---\n',
      'said/tdd/holdfast.yaml':
        'hold: stop\ninputs: [design]\nvariables: {package: core}\nphases:\n  - {label: "1", name: Red, limit: 5, writes: [test/**]}\n  - {label: "2", name: Green, dispatch: none}\n',
    })
    const { stdout } = await user.run(['skill', 'show', 'tdd', '--in', 'said'])
    expect(stdout).toContain('enforceable except 2, which errors concern:')
    expect(stdout).toContain('1  Red (at most 5 times, opens test/**)')
    for (const line of [/^variables +package=core$/m, /^inputs +design$/m, /^hold +stop$/m])
      expect(stdout).toMatch(line)
    const check = await user.run(['skill', 'check', 'said'])
    expect(check).toMatchObject({ code: 1, stdout: expect.stringContaining('error HF321') })
  })

  test('is shown, and drawn as Mermaid and as a tree', async () => {
    await user.json(['skill', 'new', 'drawn', '--notation', 'steps', '--in', 'drawn'])
    expect((await user.run(['skill', 'show', 'drawn', '--in', 'drawn'])).stdout).toContain(', enforceable:')
    const { stdout } = await user.run(['skill', 'graph', 'drawn', '--in', 'drawn'])
    expect(stdout).toContain('flowchart TD')
    expect(stdout).toMatch(/s\d -->\|"understanding"\| s\d/)
    expect((await user.run(['skill', 'graph', 'drawn', '--in', 'drawn', '--text'])).stdout).toContain(
      'needs understanding',
    )
    expect((await user.run(['skill', 'graph', 'drawn/drawn/'])).stdout).toBe(stdout)
    expect((await user.run(['skill', 'show', 'drawn/drawn'])).stdout).toContain(', enforceable:')
    expect((await user.run(['skill', 'show', 'drwan', '--in', 'drawn'])).stderr).toContain(
      'did you mean drawn?',
    )
  })
})

test('show prints the first of several skills with one name, and names the others', async () => {
  put({ 'several/a/setup/SKILL.md': '# A\n', 'several/b/setup/SKILL.md': '# B\n' })
  const { stdout, stderr } = await user.run(['skill', 'show', 'setup', '--in', 'several'])
  expect(stdout).toContain('several/a/setup/SKILL.md')
  expect(stderr).toContain('setup is a/setup. Others with this name: b/setup (choose with --in FOLDER).')
})

describe('a shared skill', () => {
  test('is linked into a project and unlinked again; nothing else is touched', async () => {
    await user.json(['skill', 'new', 'shared', '--in', 'library'])
    const place = join(user.project, '.claude/skills/shared')
    await user.json(['skill', 'link', 'library/shared'])
    await user.json(['skill', 'link', 'library/shared'])
    expect(lstatSync(place).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(place, 'SKILL.md'), 'utf8')).toContain('name: shared')
    await user.json(['skill', 'link', 'library/shared', '--remove'])
    expect(existsSync(place)).toBe(false)
    expect(existsSync(join(user.project, 'library/shared/SKILL.md'))).toBe(true)
    cpSync(join(user.project, 'library/shared'), place, { recursive: true })
    expect((await user.run(['skill', 'link', 'library/shared', '--remove'])).code).toBe(1)
    expect((await user.run(['skill', 'link', 'library/shared'])).code).toBe(1)
    expect(existsSync(join(place, 'SKILL.md'))).toBe(true)
  })

  test('of the package brings the agents that it needs, replaces none of the user, and takes its own away', async () => {
    const agents = join(user.project, '.claude/agents')
    put({ '.claude/agents/explore.md': 'Mine.\n' })
    const link = async (name: string, ...more: readonly string[]) => {
      const words = ['skill', 'link', resolve('contents/skills', name), ...more]
      const { agents: linked } = await user.json<{ agents: readonly { name: string; done: string }[] }>(words)
      return linked.map((agent) => `${agent.name}: ${agent.done}`)
    }
    const others = (done: string) =>
      ['developer', 'quality-reviewer', 'technical-writer'].map((name) => `${name}: ${done}`)
    const [developer, ...writers] = others('Linked')
    expect(await link('planner')).toEqual([developer, 'explore: Left', ...writers])
    expect(readFileSync(join(agents, 'quality-reviewer.md'), 'utf8')).toContain('name: quality-reviewer')
    expect(readFileSync(join(agents, 'explore.md'), 'utf8')).toBe('Mine.\n')
    expect(await link('planner')).toEqual(expect.arrayContaining(others('Already linked')))
    await link('decision-critic')
    expect(await link('decision-critic', '--remove')).toEqual([])
    expect(await link('planner', '--remove')).toEqual(others('Unlinked'))
    expect(readdirSync(agents)).toEqual(['explore.md'])
    expect(await link('orchestrate')).toEqual(['refactor: Linked', 'vet: Linked'])
    expect(await link('orchestrate', '--remove')).toEqual(['refactor: Unlinked', 'vet: Unlinked'])
    expect(await link('planner', '--into', 'links')).toEqual(expect.arrayContaining(others('Needed')))
  })

  test('that brings no agent of a role gets the one of the package by the command that is told', async () => {
    put({
      '.claude/skills/judged/SKILL.md': '---\nname: judged\ndescription: Judges. Use when asked.\n---\n',
      '.claude/skills/judged/workflow.mjs': `import { dispatch, step, workflow } from 'holdfast/workflow'
export default workflow('judged', [
  step({ id: 'a', title: 'A', dispatch: dispatch('technical-writer', { instruction: 'Go.' }), next: null }),
])`,
    })
    await user.json(['skill', 'trust', 'judged', '--yes'])
    const link = () => user.run(['skill', 'link', '.claude/skills/judged'])
    const { stdout } = await link()
    const command = /^ +(?:fix: )?(mkdir .*)$/m.exec(stdout)?.[1] ?? ''
    expect(execFileSync('sh', ['-c', command], { cwd: user.project, encoding: 'utf8' })).toBe('')
    const own = join(user.project, '.claude/agents/technical-writer.md')
    expect(readFileSync(own, 'utf8')).toContain('name: technical-writer')
    expect((await link()).stdout).toContain('Already linked')
    rmSync(own)
  })

  test('is linked correctly if the skills folder is a link, and in place of a broken link', async () => {
    put({ 'library/far/SKILL.md': '---\nname: far\ndescription: d\n---\n' })
    mkdirSync(join(user.project, 'somewhere/very/deep/skills'), { recursive: true })
    mkdirSync(join(user.project, 'other/.claude'), { recursive: true })
    symlinkSync('../../somewhere/very/deep/skills', join(user.project, 'other/.claude/skills'))
    const place = join(user.project, 'other/.claude/skills/far')
    symlinkSync('../../gone', place)
    await user.json(['skill', 'link', 'library/far/SKILL.md', '--into', 'other/.claude/skills'])
    expect(readFileSync(join(place, 'SKILL.md'), 'utf8')).toContain('name: far')
  })

  test('is linked only if nothing else is there, with the command that makes room', async () => {
    put({ 'one/same/SKILL.md': '# One\n', 'two/same/SKILL.md': '# Two\n' })
    await user.json(['skill', 'link', 'one/same', '--into', 'links'])
    const { code, stderr } = await user.run(['skill', 'link', 'two/same', '--into', 'links'])
    expect(code).toBe(1)
    expect(stderr).toContain('already exists')
    expect(stderr).toContain(`holdfast skill link same --remove --into ${join(user.project, 'links')}`)
  })
})
