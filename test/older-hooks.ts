import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHome } from '../src/daemon/home.ts'
import { PIPE_BEGINS } from '../src/hook/commands.ts'
import type { User } from './holdfast.ts'
import { CLIENT, keyOf } from './hook-routes.ts'

/** The handler that older versions wrote for most events. */
export const olderHook = (port: number, token: string) => ({
  type: 'http',
  url: `http://127.0.0.1:${port}/hook/${CLIENT}`,
  headers: { Authorization: `Bearer ${token}` },
  timeout: 6,
})

/** Makes the hooks of a user those of an older version: http with a token, which was the only key of hooks. */
export async function asOlder(user: User): Promise<{ readonly port: number; readonly token: string }> {
  await user.run(['daemon', 'stop'])
  const { port, token } = keyOf(user)
  writeFileSync(findHome(user.env).hookKey, `${JSON.stringify({ port, token })}\n`)
  const path = join(user.clientConfig, 'settings.json')
  const http = olderHook(port, token)
  const older = (key: string, value: unknown) => (key !== 'statusLine' && isPipe(value) ? http : value)
  writeFileSync(path, `${JSON.stringify(JSON.parse(readFileSync(path, 'utf8')), older, 2)}\n`)
  return { port, token }
}

const isPipe = (value: unknown): boolean =>
  String((value as { command?: unknown } | null)?.command).startsWith(PIPE_BEGINS)
