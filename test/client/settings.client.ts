import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'

const hooks = (file: string) =>
  `"hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "touch ${file}" }] }] }`

// The doctor check settings-comments relies on this behavior.
test.each([
  ['plain JSON', 'hears', (inner: string) => `{ ${inner} }`],
  ['a byte order mark', 'hears', (inner: string) => `\u{feff}{ ${inner} }`],
  ['a repeated key', 'hears', (inner: string) => `{ "hooks": {}, ${inner} }`],
  ['a line comment', 'ignores', (inner: string) => `{\n  // a comment\n  ${inner}\n}`],
  ['a block comment', 'ignores', (inner: string) => `{ /* a comment */ ${inner} }`],
  ['a trailing comma', 'ignores', (inner: string) => `{ ${inner}, }`],
] as const)('with %s in its settings, the client %s its hooks', async (_, does, written) => {
  await using client = await RealClient.start()
  const file = join(client.project, 'heard')
  writeFileSync(join(client.user.clientConfig, 'settings.json'), written(hooks(file)))
  expect((await client.run('Hello')).code).toBe(0)
  expect(existsSync(file)).toBe(does === 'hears')
})
