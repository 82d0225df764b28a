// The smallest Node server: it sends every byte back.
const net = require('node:net')

net
  .createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => socket.write(chunk))
  })
  .listen(process.argv[2])
