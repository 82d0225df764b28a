import { ENTRY } from '../../holdfast.ts'
import { connectionsRun } from '../connections.ts'
import { form } from './form.ts'

export const connections = form({
  name: 'connections',
  summary: 'idle callers without a token, and callers that ask for much and do not read it',
  options: { idle: 5000, readers: 8, hooks: 500, daemon: ENTRY },
  async run(given) {
    const { violations, ...counts } = await connectionsRun(given)
    return { violations, counts }
  },
})
