import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { LINGER_MILLISECONDS } from './serve.ts'

/** Answers with a text, which is whole. */
export function send(response: ServerResponse, text: string, type?: string): void {
  response.writeHead(200, headersOf(text, type)).end(text)
}

/** Answers that nothing can be served now; the connection stays. */
export function sendUnavailable(response: ServerResponse): void {
  const text = refusalText(503)
  response.writeHead(503, headersOf(text)).end(text)
}

const headersOf = (text: string, type = 'application/json') => ({
  'Content-Type': type,
  'Content-Length': Buffer.byteLength(text),
  'Cache-Control': 'no-store',
})

/** The answer goes out at once, and the connection ends when the sender has: closing on it would take the answer away. */
export function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  const text = refusalText(status)
  response.writeHead(status, { ...headersOf(text), Connection: 'close' }).write(text)
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MILLISECONDS)
  request.on('end', () => response.end())
  request.on('error', () => undefined)
  response.on('close', () => clearTimeout(timer))
  request.resume()
}

/** For what is no request at all, so that nobody else answers it. */
export function cutOff(error: NodeJS.ErrnoException, socket: Socket): void {
  // Where an answer has begun, more bytes would only garble it.
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const text = refusalText(status)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json`
  socket.end(`${head}\r\nContent-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy())
}

/** Says no more than the status does. */
const refusalText = (status: number): string => JSON.stringify({ error: STATUS_CODES[status] })
