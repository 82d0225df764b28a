import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { plainPost } from '../../src/rpc/plain-post.ts'
import { RealClient } from './client.ts'
import { hookSettings } from './hook-recorder.ts'
import { use } from './model-server.ts'

test('the http hooks of the client are plain requests, with empty agent names too', async () => {
  const received: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      received.push(bytes)
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/claude-code`
  await using client = await RealClient.start()
  const headers = { Authorization: 'Bearer token', 'Holdfast-Agent': '${HOLDFAST_AGENT}' }
  const more = { headers, allowedEnvVars: ['HOLDFAST_AGENT'] }
  client.configure(hookSettings(['PreToolUse', 'PostToolUse'], url, more))
  client.model.script('main', [use('Read', { file_path: client.write('file.md', 'text') })])
  await client.run('Read it')
  server.close()
  const texts = received.map((bytes) => bytes.toString())
  expect(texts).toHaveLength(2)
  expect(texts.filter((_, index) => plainPost(received[index] ?? Buffer.alloc(0)) === undefined)).toEqual([])
})
