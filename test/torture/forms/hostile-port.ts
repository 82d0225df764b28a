import { hostilePort as hostilePortRun } from '../hostile-port.ts'
import { form } from './form.ts'

export const hostilePort = form({
  name: 'hostile-port',
  summary: 'another program on the port of a killed daemon; the normal tests play one round',
  options: { rounds: 100 },
  async run(given) {
    const { violations, ...counts } = await hostilePortRun(given)
    return { violations, counts }
  },
})
