import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { clients } from '../clients/index.ts'
import { NodeSkillFolders } from './skill-folders.ts'

function scene(options: { version?: string; changed?: (project: string) => void } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-skills-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const user = { home: join(root, 'user'), clients: new Map() }
  const project = join(root, 'project')
  mkdirSync(project)
  const folders = open({ user, clients, overlays: join(root, 'overlays'), version: '1', ...options })
  const write = (path: string, text: string) => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  return { root, user, project, folders, write }
}

function open(options: ConstructorParameters<typeof NodeSkillFolders>[0]): NodeSkillFolders {
  const folders = new NodeSkillFolders(options)
  onTestFinished(() => folders.close())
  return folders
}

const OLD = new Date('2020-01-01')
const SKILL = 'project/.claude/skills/a/SKILL.md'

describe('reading skills', () => {
  test('parses a skill only if its digest is unknown', async () => {
    const { folders, project, user, write } = scene()
    const file = write(SKILL, 'one')
    utimesSync(file, OLD, OLD)
    const first = (await folders.read(project, new Map())).skills[0]
    expect(first?.parsed?.definition.description).toBe('one')
    const known = new Map([['a', first?.digest ?? '']])
    const again = async (from = folders) => (await from.read(project, known)).skills[0]
    const unparsed = { ...first, parsed: undefined, changedAt: undefined }
    expect(await again()).toEqual(unparsed)
    utimesSync(file, new Date(), new Date())
    expect(await again()).toEqual(unparsed)
    expect((await again(open({ user, clients, overlays: '', version: '2' })))?.parsed).toBeDefined()
    write(SKILL, 'two')
    expect((await again())?.parsed?.definition.description).toBe('two')
  })

  test('reads a file again if it changed at the moment of the last read', async () => {
    const { folders, project, write } = scene()
    const now = new Date()
    const put = (text: string) => utimesSync(write(SKILL, text), now, now)
    put('one')
    const [first] = (await folders.read(project, new Map())).skills
    put('two')
    const [second] = (await folders.read(project, new Map([['a', first?.digest ?? '']]))).skills
    expect(second?.parsed?.definition.description).toBe('two')
  })

  test('reads a file again whose date and size were put back', async () => {
    const { folders, project, write } = scene()
    const put = (text: string) => utimesSync(write(SKILL, text), OLD, OLD)
    put('one')
    const [first] = (await folders.read(project, new Map())).skills
    // The disk counts time in ticks.
    await sleep(20)
    put('two')
    const [second] = (await folders.read(project, new Map([['a', first?.digest ?? '']]))).skills
    expect(second?.parsed?.definition.description).toBe('two')
  })

  test('includes the folders above the project, up to the root of its repository', async () => {
    const { folders, root, write } = scene()
    write('.claude/skills/outside/SKILL.md', 'x')
    write('project/.git/HEAD', 'x')
    write('project/.claude/skills/top/SKILL.md', 'x')
    write('project/sub/.claude/skills/inner/SKILL.md', 'x')
    const names = async (path: string) =>
      (await folders.read(join(root, path), new Map())).skills.map(({ id }) => id)
    expect(await names('project/sub')).toEqual(['inner', 'top'])
    rmSync(join(root, 'project/.git'), { recursive: true })
    expect(await names('project/sub')).toEqual(['inner'])
  })

  test('reads only the beginning of a huge file', async () => {
    const { folders, project, write } = scene()
    write(SKILL, `---\nname: a\ndescription: long\n---\n\n${'x'.repeat(5 * 1024 * 1024)}`)
    const { skills } = await folders.read(project, new Map())
    expect(skills[0]?.parsed?.definition.description).toBe('long')
  })
})

test('the folders above a single file determine its kind, however deep it is', async () => {
  const { folders, write } = scene()
  const kindOf = async (path: string) => (await folders.readOne(write(path, '# X'), false))?.definition.kind
  expect(await kindOf('project/.claude/commands/a/b/c.md')).toBe('command')
  expect(await kindOf('project/.claude/agents/critic.md')).toBe('agent')
  expect(await kindOf('project/.claude/skills/x/SKILL.md')).toBe('skill')
  expect(await kindOf('project/docs/a/b/c.md')).toBeUndefined()
})

describe('watching a project', () => {
  const wanted = async () => {
    const changed = vi.fn<(project: string) => void>()
    const it = scene({ changed })
    it.folders.want(it.project)
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), { timeout: 60_000 })
    /** Reads the skills again after each report, as the daemon does. */
    const told = async (work: () => void) => {
      await it.folders.read(it.project, new Map())
      changed.mockClear()
      work()
      await vi.waitFor(() => expect(changed).toHaveBeenCalledWith(it.project), { timeout: 60_000 })
      return changed.mock.calls.length
    }
    return { ...it, changed, told }
  }

  test('reports a skill that is written, changed, moved and removed, even in a new folder', async () => {
    const { told, write, project } = await wanted()
    expect(await told(() => write('project/.claude/settings.json', '{}'))).toBeGreaterThan(0)
    expect(await told(() => write(SKILL, 'one'))).toBeGreaterThan(0)
    expect(await told(() => write(SKILL, 'two'))).toBeGreaterThan(0)
    expect(await told(() => write('project/.claude/skills/a/steps/1.md', 'x'))).toBeGreaterThan(0)
    expect(await told(() => write('project/.claude/skills/a/steps/1.md', 'y'))).toBeGreaterThan(0)
    expect(await told(() => rmSync(join(project, '.claude/skills/a'), { recursive: true }))).toBeGreaterThan(
      0,
    )
  })

  test('reports changes behind a link, and of personal skills', async () => {
    const { told, write, project, root } = await wanted()
    write('elsewhere/SKILL.md', 'one')
    mkdirSync(join(project, '.claude/skills'), { recursive: true })
    symlinkSync(join(root, 'elsewhere'), join(project, '.claude/skills/linked'))
    write('user/.claude/skills/mine/SKILL.md', 'one')
    expect(await told(() => write('elsewhere/SKILL.md', 'two'))).toBeGreaterThan(0)
    expect(await told(() => write('user/.claude/skills/mine/SKILL.md', 'two'))).toBeGreaterThan(0)
  })

  test('reports a newly installed plugin beside others', async () => {
    const { told, write } = await wanted()
    const list = 'user/.claude/plugins/installed_plugins.json'
    write(list, '{}')
    expect(await told(() => write(list, '{"plugins": {}}'))).toBeGreaterThan(0)
  })

  test('reports many changes few times, and nothing after the end', async () => {
    const { told, write, changed, folders, project } = await wanted()
    write(SKILL, '')
    await told(() => {
      for (let index = 0; index < 200; index++) write(`project/.claude/skills/a/${index}.md`, 'x')
    })
    expect(changed.mock.calls.length).toBeLessThan(5)
    folders.close()
    changed.mockClear()
    write(SKILL, 'late')
    await folders.read(project, new Map())
    expect(changed).not.toHaveBeenCalled()
  })
})

describe('an overlay', () => {
  const PHASES = (name: string) => `phases:\n  - {label: "1", name: ${name}, heading: Draft}\n`

  test('gives a skill of somebody else a plan: that of the project, or else that of the user', async () => {
    const { folders, project, write } = scene()
    write('project/.claude/skills/essay/SKILL.md', '---\nname: essay\n---\n## Draft\n')
    const plan = async () => (await folders.read(project, new Map())).skills[0]?.parsed?.definition.plan
    expect(await plan()).toBeUndefined()
    write('overlays/essay.yaml', PHASES('One'))
    expect(await plan()).toMatchObject({ explicit: true, steps: [{ title: 'One' }] })
    write('project/.holdfast/skills/essay.yaml', PHASES('Two'))
    expect(await plan()).toMatchObject({ explicit: true, steps: [{ title: 'Two' }] })
  })

  test('whose headings are gone refuses nothing, and says so', async () => {
    const { folders, project, write } = scene()
    write('project/.claude/skills/essay/SKILL.md', '---\nname: essay\n---\n## Something else\n')
    write('overlays/essay.yaml', PHASES('One'))
    const [{ parsed } = { parsed: undefined }] = (await folders.read(project, new Map())).skills
    expect(parsed?.definition.plan?.explicit).toBe(false)
    expect(parsed?.diagnostics.map(({ code }) => code)).toContain('HF120')
  })

  test('of a plugin lies in a folder with the name of the plugin', async () => {
    const { folders, project, root, write } = scene()
    const plugins = { 'kit@m': [{ scope: 'user', installPath: join(root, 'kit'), version: '1.0' }] }
    write('user/.claude/plugins/installed_plugins.json', JSON.stringify({ version: 2, plugins }))
    write('user/.claude/settings.json', JSON.stringify({ enabledPlugins: { 'kit@m': true } }))
    write('kit/skills/essay/SKILL.md', '---\nname: essay\n---\n## Draft\n')
    write('overlays/essay.yaml', PHASES('Another skill'))
    write('overlays/kit/essay.yaml', PHASES('One'))
    const [found] = (await folders.read(project, new Map())).skills
    expect(found?.id).toBe('kit:essay')
    expect(found?.parsed?.definition.plan?.steps).toMatchObject([{ title: 'One' }])
  })
})
