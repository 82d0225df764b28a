import { existsSync, readFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Route } from './hook-scene.ts'

/** The port and token of a hook server. */
export interface Key {
  readonly port: number
  readonly token: string
}

/** Waits until the server has written its key. */
export async function keyIn(path: string): Promise<Key> {
  while (!existsSync(path)) await sleep(5)
  return JSON.parse(readFileSync(path, 'utf8')) as Key
}

/** A kept connection that posts one hook at a time; the same small client for all servers. */
export class Post {
  readonly #socket: Socket
  readonly #key: Key
  #received = ''
  #answered: (() => void) | undefined

  private constructor(socket: Socket, key: Key) {
    this.#socket = socket
    this.#key = key
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text
      if (!isWhole(this.#received)) return
      this.#received = ''
      this.#answered?.()
    })
  }

  static open(key: Key): Promise<Post> {
    return new Promise((resolve) => {
      const socket = createConnection(key.port, '127.0.0.1', () => resolve(new Post(socket, key)))
    })
  }

  readonly route: Route = (payload) => {
    const request = requestOf(this.#key, JSON.stringify(payload))
    return () =>
      new Promise<void>((resolve) => {
        this.#answered = resolve
        this.#socket.write(request)
      })
  }

  close(): void {
    this.#socket.destroy()
  }
}

const requestOf = ({ port, token }: Key, body: string): string =>
  [
    'POST /hook/claude-code HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `\r\n${body}`,
  ].join('\r\n')

function isWhole(text: string): boolean {
  if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(text)
  const end = text.indexOf('\r\n\r\n')
  const length = /\r\nContent-Length: (\d+)/i.exec(text)?.[1]
  return end !== -1 && text.length >= end + 4 + Number(length)
}
