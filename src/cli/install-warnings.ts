import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readKeys } from '../daemon/keys.ts'
import type { Wired } from '../model/client.ts'
import { shellWord } from '../model/shell.ts'
import type { Io } from './io.ts'
import { hiddenLine } from './line-findings.ts'
import { type Place, placesOf } from './place.ts'
import { disableCommand, enabledPlugins } from './plugin-enabled.ts'

/** What could keep the hooks from coming, or bring them twice, or give the token away. */
export function warningsOf(io: Io, place: Place, text: string): readonly string[] {
  const { client, file, scope, project } = place
  const { port } = readKeys(place.home)
  const own = client.settings.read(text, { port: port ?? 'PORT' })
  const others = placesOf(io, { project }).filter((other) => other.file.path !== file.path)
  const hidden = hiddenLine(io, place)
  return [
    ...own.obstacles.map((obstacle) => `${file.path}: ${obstacle}`),
    ...others.flatMap((other) => warningsOfOther(other, own, port ?? 'PORT')),
    ...enabledPlugins([place, ...others]).map(
      (name) => `The plugin ${name} has the same hooks, so that events come twice: ${disableCommand(name)}`,
    ),
    ...(scope !== 'project' && file.mode !== undefined && (file.mode & 0o044) !== 0
      ? [
          `${file.path} holds the token of the hooks and other users can read it: chmod 600 ${shellWord(file.path)}`,
        ]
      : []),
    ...(own.statusLine?.isOurs === true && hidden !== undefined
      ? [`This status line hides the one in ${hidden.place.file.path}; --no-status-line leaves it alone.`]
      : []),
    ...(scope === 'local' && isCommitted(project, file.path)
      ? [`${file.path} holds the token of the hooks and git does not ignore it.`]
      : []),
    ...(scope !== 'project' && io.entry.includes('/_npx/')
      ? ['This holdfast lies in the cache of npx and may vanish; install it with: npm install -g holdfast']
      : []),
  ]
}

function warningsOfOther(other: Place, own: Wired, port: number | string): readonly string[] {
  const { path, text } = other.file
  try {
    const { ways, obstacles } = other.client.settings.read(text ?? '', { port })
    const isAnother = ways.length > 0 && JSON.stringify(ways) !== JSON.stringify(own.ways)
    return [
      ...obstacles.map((obstacle) => `${path}: ${obstacle}`),
      ...(isAnother
        ? [
            `${path} has hooks of ours too, so that events come twice: holdfast uninstall --scope ${other.scope}`,
          ]
        : []),
    ]
  } catch (error) {
    return [`${path} could not be looked at: ${error instanceof Error ? error.message : String(error)}`]
  }
}

const isCommitted = (project: string, path: string): boolean =>
  existsSync(join(project, '.git')) &&
  spawnSync('git', ['-C', project, 'check-ignore', '-q', path]).status === 1
