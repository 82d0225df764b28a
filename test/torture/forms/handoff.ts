import { testDaemon } from '../../holdfast.ts'
import { handoffKills, KILLED_COMMANDS } from '../handoff-kills.ts'
import { form } from './form.ts'

export const handoff = form({
  name: 'handoff',
  summary: 'kills handoff write, todo and learn with their daemon at every step of their work on files',
  options: { stride: 1, daemon: testDaemon('test/torture/file-dying-daemon.ts') },
  async run(given) {
    const { violations, kills, leftovers } = await handoffKills({ ...given, commands: KILLED_COMMANDS })
    return { violations, counts: { kills, leftovers } }
  },
})
