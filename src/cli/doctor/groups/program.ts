import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shellWord } from '../../../model/shell/word.ts'
import { INSTALL, isOnPath } from '../../install/warnings.ts'
import type { Group } from '../check.ts'

/** Everything that Holdfast prints names `holdfast`, so it must be a command. */
export const program: Group = {
  name: 'program',
  well: () => '`holdfast` is on the PATH.',
  checks: [
    {
      code: 'program-off-path',
      severity: 'warning',
      finds: '`holdfast` is not on the PATH, so the commands that Holdfast prints do not work',
      mends: 'npm install -g holdfast, or the folder of the clone',
      look({ io }) {
        if (isOnPath(io)) return []
        const detail = '`holdfast` is not on the PATH, so the commands that Holdfast prints do not work.'
        const clone = io.entry.includes('/_npx/') ? undefined : packageAround(dirname(io.entry))
        return [{ detail, fix: clone === undefined ? INSTALL : `npm install -g ${shellWord(clone)}` }]
      },
    },
  ],
}

/** The folder of our package around a folder. */
function packageAround(folder: string): string | undefined {
  if (isOurs(join(folder, 'package.json'))) return folder
  return folder === dirname(folder) ? undefined : packageAround(dirname(folder))
}

function isOurs(path: string): boolean {
  try {
    return (
      existsSync(path) && (JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown }).name === 'holdfast'
    )
  } catch {
    return false
  }
}
