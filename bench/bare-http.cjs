// The least that an HTTP server of Node can be: it takes all that is posted and answers nothing.
const { renameSync, writeFileSync } = require('node:fs')
const { createServer } = require('node:http')

const path = process.argv[2] ?? ''
const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    Buffer.concat(parts)
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 0 }).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  writeFileSync(`${path}.new`, `${JSON.stringify({ port, token: 'x'.repeat(43) })}\n`)
  renameSync(`${path}.new`, path)
})
