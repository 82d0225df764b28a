import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'
import { hasTmux } from './terminal.ts'

/** Drawn every second, so that the next drawing shows what came too late for one. */
const OWN = `{ "statusLine": { "type": "command", "command": "grep -o '\\"version\\":\\"[^\\"]*\\"'", "refreshInterval": 1 } }`

// A client draws a status line only in a terminal; test/flows/statusline.test.ts covers machines without one.
test("a terminal shows the user's line and ours below it, during the work", async ({ skip }) => {
  skip(!hasTmux, 'there is no tmux')
  await using client = await RealClient.start()
  const settings = join(client.user.clientConfig, 'settings.json')
  writeFileSync(settings, OWN)
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['init', '--yes'])
  const step = join(client.project, '.claude/skills/deploy/steps/understand.md')
  client.model.script('main', [use('Read', { file_path: step }), { ...say('Done.'), inputTokens: 620_000 }])

  using terminal = client.inTerminal('/deploy it')
  const screen = await terminal.shows('[deploy:understand] 62%')

  const lines = screen.split('\n').map((line) => line.trim())
  const ours = lines.indexOf('[deploy:understand] 62%')
  expect(lines[ours - 1]).toMatch(/^"version":"\d/)
  const [newest] = await client.user.json<{ context_usage: number }[]>(['session', 'find', '--open'])
  expect(newest).toMatchObject({ context_usage: 0.62 })
  await client.user.json(['uninstall'])
  expect(readFileSync(settings, 'utf8')).toBe(OWN)
})
