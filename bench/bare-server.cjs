// The least that a Node process can be and still answer: every byte that comes goes back.
const net = require('node:net')

net
  .createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => socket.write(chunk))
  })
  .listen(process.argv[2])
