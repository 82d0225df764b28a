// The smallest HTTP server in Node: it accepts every POST and replies with nothing. Given a file of statements, it
// commits one transaction per request first.
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const { createServer } = require('node:http')

const [, , path = '', statements] = process.argv
const commit = statements === undefined ? () => undefined : commits(statements)
const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    Buffer.concat(parts)
    commit()
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 0 }).end()
  })
})
// As long as the daemon's, because a busy machine may let a connection wait for long.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  writeFileSync(`${path}.new`, `${JSON.stringify({ port, token: 'x'.repeat(43) })}\n`)
  renameSync(`${path}.new`, path)
})

/** @param {string} file */
function commits(file) {
  const { DatabaseSync } = require('node:sqlite')
  const { database, once, transactions } = JSON.parse(readFileSync(file, 'utf8'))
  const db = new DatabaseSync(database)
  db.exec('pragma synchronous = full; pragma fullfsync = on')
  const [begin, end] = [db.prepare('begin immediate'), db.prepare('commit')]
  const prepared = transactions.map((/** @type {any[]} */ all) =>
    all.map(({ sql, parameters }) => {
      const statement = db.prepare(sql)
      const run = statement.columns().length > 0 ? 'all' : 'run'
      return { run: statement[run].bind(statement), parameters }
    }),
  )
  let count = 0
  let ids = 0
  const fresh = (/** @type {unknown} */ value) => (String(value).startsWith(once) ? `fresh-${ids++}` : value)
  return () => {
    begin.run()
    for (const { run, parameters } of prepared[count++ % prepared.length]) run(...parameters.map(fresh))
    end.run()
  }
}
