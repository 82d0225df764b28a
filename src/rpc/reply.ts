import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Response } from './route.ts'
import { LINGER_MILLISECONDS } from './serve.ts'

/** Sends a complete text. */
export function send(response: Response, text: string, type?: string): void {
  response.writeHead(200, headersOf(text, type)).end(text)
}

/** Answers 503 and keeps the connection. */
export function sendUnavailable(response: Response): void {
  const text = refusalText(503)
  response.writeHead(503, headersOf(text)).end(text)
}

const headersOf = (text: string, type = 'application/json') => ({
  'Content-Type': type,
  'Content-Length': Buffer.byteLength(text),
  'Cache-Control': 'no-store',
})

/** Answers at once, but closes only after the sender finishes; otherwise the answer would be lost. */
export function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  const text = refusalText(status)
  response.writeHead(status, { ...headersOf(text), Connection: 'close' }).write(text)
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MILLISECONDS)
  request.on('end', () => response.end())
  request.on('error', () => undefined)
  response.on('close', () => clearTimeout(timer))
  request.resume()
}

/** Node's name for a request that did not come in time. */
export const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Answers bytes that are not a request. */
export function cutOff(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  // More bytes would corrupt an answer that has started.
  if (socket.bytesWritten > 0) return socket.destroySoon()
  const status = error.code === TIMED_OUT ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const text = refusalText(status)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json`
  socket.end(`${head}\r\nContent-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy())
}

/** Says no more than the status does. */
const refusalText = (status: number): string => JSON.stringify({ error: STATUS_CODES[status] })
