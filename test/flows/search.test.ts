import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { User } from '../holdfast.ts'

interface Found {
  readonly source_type: string
  readonly source_path: string
  readonly line: number
}

const RUNBOOK = '---\nmodel: haiku\n---\n\n## Common Context\n\nchartreuse\n\n## Step 1: Look\n\nLook.\n'

/** A user with a project that has these texts. */
async function withTexts(texts: Readonly<Record<string, string>>) {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  mkdirSync(join(user.project, '.git'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(user.project, path)), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  for (const [path, text] of Object.entries(texts)) put(path, text)
  await user.run(['project', 'upsert', '.'])
  const find = async (...words: readonly string[]) => {
    const { stdout } = await user.run(['search', ...words, '--json'])
    return (JSON.parse(stdout) as readonly Found[]).map((one) => `${one.source_type} ${one.source_path}`)
  }
  const say = (event: string, more: object) =>
    user.run(['hook', 'claude-code', '--limit', '60000'], {
      input: JSON.stringify({ session_id: 'one', cwd: user.project, hook_event_name: event, ...more }),
    })
  return { user, put, find, say }
}

describe('a search', () => {
  test('finds a document by the words of a question, with its line, its heading and the reason', async () => {
    const { user } = await withTexts({
      'docs/login.md': '# Login\n\n## Passwords\n\nThe page hashes each password with argon.\n',
      'docs/other.md': '# Other\n\nNothing of that.\n',
    })
    const { code, stdout } = await user.run(['search', 'how are passwords hashed?'])
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(stdout).toMatch(/^docs\/login\.md:5 {2}doc, \d+ s ago\n {2}Login > Passwords\n/)
    expect(stdout).toContain('The page hashes each password with argon.')
    expect(stdout).toContain('has: passwords, hashed, in the heading: passwords')
  })

  test('follows files that change, appear and go', async () => {
    const { user, put, find } = await withTexts({ 'a.md': 'violet', 'b.md': 'violet' })
    expect((await find('violet')).toSorted()).toEqual(['doc a.md', 'doc b.md'])
    put('a.md', 'indigo text')
    put('c.md', 'violet')
    rmSync(join(user.project, 'b.md'))
    expect(await find('violet')).toEqual(['doc c.md'])
    expect(await find('indigo')).toEqual(['doc a.md'])
  })

  test('finds what was asked and answered in a session', async () => {
    const { find, say } = await withTexts({})
    await say('SessionStart', { source: 'startup' })
    await say('UserPromptSubmit', { prompt: 'Why does the cerulean cache expire?' })
    await say('Stop', { last_assistant_message: 'Because its lifetime is a magenta minute.' })
    expect(await find('cerulean')).toEqual(['message one'])
    expect(await find('magenta lifetime', '--source', 'message')).toEqual(['message one'])
    expect(await find('magenta', '--source', 'doc')).toEqual([])
  })

  test('shows no step of a skill, because each is read when its turn has come', async () => {
    const { user, find } = await withTexts({})
    await user.run(['skill', 'new', 'deploy', '--notation', 'steps'])
    const step = '.claude/skills/deploy/steps/secret.md'
    writeFileSync(join(user.project, step), 'turquoise')
    writeFileSync(join(user.project, '.claude/skills/deploy/SKILL.md'), '---\nname: deploy\n---\nvermilion\n')
    expect(await find('turquoise')).toEqual([])
    mkdirSync(join(user.project, 'plans/auth'), { recursive: true })
    writeFileSync(join(user.project, 'plans/auth/runbook.md'), RUNBOOK)
    expect(await user.run(['runbook', 'compile', 'auth'])).toMatchObject({ code: 0 })
    expect(await find('chartreuse')).toEqual(['doc plans/auth/runbook.md'])
    expect(await find('vermilion')).toEqual(['skill .claude/skills/deploy/SKILL.md'])
  })

  test('says when nothing has the words, and what is wrong with a flag', async () => {
    const { user } = await withTexts({ 'a.md': 'x' })
    expect(await user.run(['search', '"); drop table embeddings; --'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('--all-projects') as string,
    })
    expect((await user.run(['search', 'x', '--source', 'moon'])).stderr).toContain('session, doc, directive')
    expect((await user.run(['search', 'x', '--since', 'soon'])).stderr).toContain('7d')
    expect((await user.run(['search'])).code).not.toBe(0)
  })

  test('of every project says in which one each result is', async () => {
    const { user } = await withTexts({ 'docs/a.md': 'cobalt' })
    await user.run(['index'])
    const { stdout } = await user.run(['search', 'cobalt', '--all-projects'], { cwd: user.folder })
    expect(stdout).toContain(`${user.project}/docs/a.md:1  doc, `)
    expect(await user.json(['search', 'cobalt', '--all-projects'])).toMatchObject([
      { source_path: 'docs/a.md', project_path: user.project },
    ])
  })

  test('what somebody put into the index stays when files are read again, and a kind is read again when named', async () => {
    const { user, put, find } = await withTexts({ 'a.md': 'violet' })
    const given = { source_type: 'doc', source_path: 'wiki/page', chunk_text: 'saffron', path: user.project }
    await user.run(['rpc', 'search.upsert', JSON.stringify(given)])
    // A fraction of a millisecond would be lost below.
    const written = new Date('2026-01-01T00:00:00Z')
    utimesSync(join(user.project, 'a.md'), written, written)
    await user.run(['index'])
    expect(await find('saffron')).toEqual(['doc wiki/page'])
    // A change that keeps the time of the file looks like none.
    put('a.md', 'indigo')
    utimesSync(join(user.project, 'a.md'), written, written)
    expect(await find('indigo')).toEqual([])
    expect((await user.run(['index', '--source', 'directive'])).code).toBe(0)
    expect(await find('indigo')).toEqual([])
    expect((await user.run(['index', '--source', 'doc'])).code).toBe(0)
    expect(await find('indigo')).toEqual(['doc a.md'])
    expect(await find('saffron')).toEqual(['doc wiki/page'])
    expect((await user.run(['index', '--source', 'moon'])).stderr).toContain('session, doc, directive')
  })

  test('index says what it has', async () => {
    const { user } = await withTexts({ 'a.md': 'x', 'AGENTS.md': 'y' })
    expect((await user.run(['index'])).stdout).toBe('directive: 1 (1 piece)\ndoc: 1 (1 piece)\n')
  })
})
