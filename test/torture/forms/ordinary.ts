import { ordinarySessions } from '../../ordinary/sessions.ts'
import { form, SEED } from './form.ts'

export const ordinary = form({
  name: 'ordinary',
  summary: 'ordinary sessions at every level that refuses; the normal tests play a part of them',
  options: { sessions: 1000, seed: SEED },
  async run({ sessions, seed, log }) {
    const violations: string[] = []
    for (const level of ['enforce', 'strict', 'locked'] as const) {
      const { refusals, kinds } = await ordinarySessions({ sessions, seed, level })
      const actions = [...kinds.values()].reduce((sum, count) => sum + count, 0)
      log(`${level}: ${sessions} sessions, ${actions} actions, ${refusals.length} refused`)
      violations.push(...refusals.map((refusal) => JSON.stringify(refusal)))
    }
    return { violations }
  },
})
