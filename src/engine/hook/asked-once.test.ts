import { expect, test } from 'vitest'
import { nodeFiles } from '../../files/node.ts'
import { askedOnce } from './asked-once.ts'

test('one event asks the disk once about each path, and the next event asks again', async () => {
  const asked: string[] = []
  const counting = {
    ...nodeFiles,
    canonical: (path: string) => {
      asked.push(path)
      return nodeFiles.canonical(path)
    },
  }
  for (const event of [askedOnce(counting), askedOnce(counting)]) {
    await Promise.all([event.canonical('/'), event.canonical('/')])
    await event.canonical('/tmp')
  }
  expect(asked).toEqual(['/', '/tmp', '/', '/tmp'])
})
