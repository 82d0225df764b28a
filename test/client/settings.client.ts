import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'

const hooks = (file: string) =>
  `"hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "touch ${file}" }] }] }`

test.each([
  ['plain JSON', (inner: string) => `{ ${inner} }`],
  ['a line comment', (inner: string) => `{\n  // a comment\n  ${inner}\n}`],
  ['a block comment', (inner: string) => `{ /* a comment */ ${inner} }`],
  ['a trailing comma', (inner: string) => `{ ${inner}, }`],
  ['a byte order mark', (inner: string) => `\u{feff}{ ${inner} }`],
  ['a repeated key', (inner: string) => `{ "hooks": {}, ${inner} }`],
] as const)('settings with %s', async (what, written) => {
  await using client = await RealClient.start()
  const file = join(client.project, 'heard')
  writeFileSync(join(client.user.clientConfig, 'settings.json'), written(hooks(file)))
  const ended = await client.run('Hello')
  console.log(
    what,
    existsSync(file),
    ended.code,
    ended.stderr,
    JSON.stringify(ended.events.at(0))?.slice(0, 200),
  )
  expect(ended.code).toBe(0)
})
