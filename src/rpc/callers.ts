import type { Socket } from 'node:net'

/** Why a server closed a connection that its caller kept open. */
export const DROPS = {
  room: 'Others needed the room.',
  silent: 'No request came in time.',
  unread: 'It did not read its answers.',
} as const

export type Drop = keyof typeof DROPS

export interface CallerLimits {
  /** The most connections that have not shown that they may call; the oldest give way. */
  readonly maxStrangers: number
  /** The most others; the ones that were idle longest give way. */
  readonly maxConnections: number
  /** The time in which a caller must read something of an answer; it is enforced within twice this time. */
  readonly unreadMilliseconds: number
  readonly onDrop: (why: Drop) => void
}

interface Known {
  /** Requests in progress. */
  busy: number
}

/** The open connections of a server. A caller is a stranger until it has asked something that it may ask. */
export class Callers {
  readonly #limits: CallerLimits
  readonly #strangers = new Set<Socket>()
  /** In the order of their last requests. */
  readonly #known = new Map<Socket, Known>()
  /** The unread bytes of each connection at the last look. */
  #unread = new Map<Socket, number>()
  readonly #look: NodeJS.Timeout
  #isMakingRoom = false

  constructor(limits: CallerLimits) {
    this.#limits = limits
    this.#look = setInterval(() => this.#dropStalled(), limits.unreadMilliseconds).unref()
  }

  add(socket: Socket): void {
    this.#strangers.add(socket)
    socket.on('close', () => {
      this.#strangers.delete(socket)
      this.#known.delete(socket)
    })
    if (this.#strangers.size > this.#limits.maxStrangers) this.#makeRoomSoon()
  }

  /** Begins a request of a caller that may ask it. */
  begin(socket: Socket): void {
    const { busy } = this.#known.get(socket) ?? { busy: 0 }
    this.#strangers.delete(socket)
    this.#known.delete(socket)
    if (socket.destroyed) return
    this.#known.set(socket, { busy: busy + 1 })
    if (this.#known.size > this.#limits.maxConnections) this.#makeRoomSoon()
  }

  end(socket: Socket): void {
    const known = this.#known.get(socket)
    if (known !== undefined) known.busy--
  }

  drop(socket: Socket, why: Drop): void {
    this.#limits.onDrop(why)
    socket.destroy()
  }

  close(): void {
    clearInterval(this.#look)
  }

  /** Two turns later, because the request of a caller that has just connected is read in the next one. */
  #makeRoomSoon(): void {
    if (this.#isMakingRoom) return
    this.#isMakingRoom = true
    setImmediate(() => setImmediate(() => this.#makeRoom()))
  }

  #makeRoom(): void {
    this.#isMakingRoom = false
    const { maxStrangers, maxConnections } = this.#limits
    for (const socket of oldest(this.#strangers, this.#strangers.size - maxStrangers))
      this.drop(socket, 'room')
    const idle = [...this.#known].filter(([, { busy }]) => busy === 0).map(([socket]) => socket)
    for (const socket of oldest(idle, this.#known.size - maxConnections)) this.drop(socket, 'room')
  }

  /** Drops callers that have read nothing since the last look. */
  #dropStalled(): void {
    const before = this.#unread
    this.#unread = new Map()
    for (const socket of [...this.#strangers, ...this.#known.keys()]) {
      const unread = socket.writableLength
      if (unread === 0) continue
      if (before.get(socket) === unread) this.drop(socket, 'unread')
      else this.#unread.set(socket, unread)
    }
  }
}

const oldest = (sockets: Iterable<Socket>, count: number): readonly Socket[] =>
  count > 0 ? [...sockets].slice(0, count) : []
