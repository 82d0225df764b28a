import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemIo } from '../frame/io.ts'
import { draftOf, removeOverlay, writeOverlay } from './adopt.ts'
import { survey } from './survey.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-adopt-')))
  put('project/.git/HEAD', '')
  put(
    'project/.claude/skills/essay/SKILL.md',
    '---\nname: essay\ndescription: Writes.\n---\n## Step 1: Draft\n\n## Step 2: Publish\n',
  )
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(path: string, text: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  return join(folder, path)
}

const surveyFrom = (place: string) =>
  survey({
    ...systemIo(false),
    cwd: join(folder, place),
    env: { HOME: join(folder, 'user') },
    isTerminal: false,
  })

async function draftIn(found: Awaited<ReturnType<typeof survey>>) {
  const [skill] = found.parsed
  const draft = skill && (await draftOf(skill, found, { scope: undefined, replaces: true }))
  if (draft === undefined || 'why' in draft) throw new Error(draft?.why ?? 'There is no skill.')
  return draft
}

test('an overlay for a skill of the project lies at its root, and git ignores only the work beside it', async () => {
  mkdirSync(join(folder, 'project/packages/a'), { recursive: true })
  const found = await surveyFrom('project/packages/a')
  const draft = await draftIn(found)
  writeOverlay(found, draft)
  expect(draft.path).toBe(join(folder, 'project/.holdfast/skills/essay.yaml'))
  expect(readFileSync(draft.path, 'utf8')).toBe(draft.text)
  expect(existsSync(join(folder, 'project/.holdfast/.gitignore'))).toBe(true)
  removeOverlay(draft.path, found)
  expect(existsSync(dirname(draft.path))).toBe(false)
})

test('an overlay is replaced where it is, because it would hide one at the root', async () => {
  const near = put('project/packages/a/.holdfast/skills/essay.yml', 'phases: []\n')
  const found = await surveyFrom('project/packages/a')
  const draft = await draftIn(found)
  writeOverlay(found, draft)
  expect(draft.path).toBe(near)
  expect(readFileSync(near, 'utf8')).toBe(draft.text)
  expect(existsSync(join(folder, 'project/.holdfast'))).toBe(false)
})
