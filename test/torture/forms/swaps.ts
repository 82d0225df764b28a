import { nodeFiles } from '../../../src/files/node.ts'
import { swapRun } from '../swaps.ts'
import { form } from './form.ts'

export const swaps = form({
  name: 'swaps',
  summary: 'a folder becomes a link and back while files are created in it',
  options: { tries: 10_000 },
  async run({ tries: wanted }) {
    const { outside, unexplained, ...counts } = await swapRun(nodeFiles, ({ tries }) => tries >= wanted)
    return { violations: [...outside.map((path) => `outside: ${path}`), ...unexplained], counts }
  },
})
