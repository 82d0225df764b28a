import { OLDEST_NODE } from '../../../daemon/version.ts'
import { shellWord } from '../../../model/shell/word.ts'
import type { Group } from '../check.ts'

const rank = (version: string) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)

/** bin/holdfast.js checks this too, but source runs and explicit Node calls skip it. */
export const node: Group = {
  name: 'node',
  well: () => `Node ${process.version}.`,
  checks: [
    {
      code: 'node-old',
      severity: 'broken',
      finds: 'Node is too old',
      mends: 'LAUNCHER doctor',
      look({ home }) {
        const [major = '', minor = ''] = process.versions.node.split('.')
        if (rank(`${major}.${minor}`) >= rank(OLDEST_NODE)) return []
        const detail = `Node ${process.version} is too old; ${OLDEST_NODE} is needed.`
        return [{ detail, fix: `${shellWord(home.launcher)} doctor` }]
      },
    },
  ],
}
