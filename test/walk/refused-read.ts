import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findHome } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import { startDaemon } from '../../src/daemon/main.ts'

/** Asks a daemon in this process about a step that comes too early; prints the answer and every file that ran. */

const folder = mkdtempSync(join(tmpdir(), 'holdfast-walk-'))
const project = join(folder, 'app')
const skill = join(project, '.claude', 'skills', 'ship')
const files = {
  'SKILL.md': '---\nname: ship\ndescription: Ships.\n---\n\nRead the steps.\n',
  'steps/work.md': '---\nproduces: [change]\n---\n',
  'steps/check.md': '---\nconsumes: [change]\n---\n',
}
mkdirSync(join(project, '.git'), { recursive: true })
mkdirSync(join(skill, 'steps'), { recursive: true })
for (const [name, text] of Object.entries(files)) writeFileSync(join(skill, name), text)

const home = findHome({ HOME: folder, HOLDFAST_HOME: join(folder, 'home') })
const daemon = await startDaemon({ home })
if (daemon === undefined) throw new Error('No daemon could start.')
while (readKeys(home).port === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
const { port, hook } = readKeys(home)

async function fire(event: string, more: object): Promise<string> {
  const payload = { session_id: 'walk', cwd: project, hook_event_name: event, ...more }
  const answer = await fetch(`http://127.0.0.1:${port}/hook/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hook}`, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  })
  return await answer.text()
}

const read = (id: string) =>
  fire('PreToolUse', {
    tool_name: 'Read',
    tool_input: { file_path: join(skill, 'steps', 'check.md') },
    tool_use_id: id,
  })

await fire('SessionStart', { source: 'startup' })
await fire('UserPromptSubmit', { prompt: '/ship a login page' })
await read('first')
const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const source = join(import.meta.dirname, '..', '..', 'src')

/** The answer to a read, with the files that ran meanwhile. */
async function watched(id: string): Promise<{ readonly answer: string; readonly ran: readonly string[] }> {
  // What the read before left in memory is written by then.
  await new Promise((resolve) => setTimeout(resolve, 1200))
  await inspector.post('Profiler.takePreciseCoverage')
  const answer = await read(id)
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const ran = result
    .filter(({ url }) => url.startsWith(`file://${source}/`))
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => relative(source, fileURLToPath(url)))
  return { answer, ran }
}

// A periodic job is no part of the walk; a read that it fell into is repeated.
let walk = await watched('second')
for (let nth = 3; walk.ran.some((file) => file.startsWith('daemon/jobs/')); nth++)
  walk = await watched(`number ${nth}`)
inspector.disconnect()
const { answer, ran } = walk
process.stdout.write(JSON.stringify({ answer: JSON.parse(answer) as unknown, ran: ran.toSorted() }))
daemon.stop()
await daemon.stopped
rmSync(folder, { recursive: true, force: true })
if (process.stdout.writableLength > 0) await once(process.stdout, 'drain')
process.exit(0)
