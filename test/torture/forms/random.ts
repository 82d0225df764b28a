import { form } from './form.ts'
import { vitest } from './vitest.ts'

/** Tests whose number of random cases is multiplied by a variable. */
const FILES = [
  'src/clients/clients.test.ts',
  'src/engine/contracts/efforts.test.ts',
  'src/engine/contracts/parameters.test.ts',
  'src/engine/methods/model.test.ts',
  'src/model/shell/files-cost.test.ts',
  'src/model/text/reference.test.ts',
]

export const random = form({
  name: 'random',
  summary: 'random calls, payloads of clients and shell commands, many times as many as in the normal tests',
  options: { times: 20 },
  run: ({ times }) => vitest(FILES, { HOLDFAST_RUNS: String(times) }, '--testTimeout=0'),
})
