import { createConnection, createServer, type Socket } from 'node:net'

interface Pair {
  /** The end of the client. */
  readonly near: Socket
  /** The end of the server. */
  readonly far: Socket
  /** Nothing passes any more, and neither end learns of it. */
  isDead: boolean
}

/** A line to a server whose network can be made to fail. */
export interface ChaosLine extends AsyncDisposable {
  /** The address of the server through this line. */
  readonly url: string
  /** Swallows everything, like a cable that is cut; connections of this time stay dead. */
  swallow(): void
  /** Ends `swallow` and `delay`; new connections work again. */
  restore(): void
  /** Resets every connection. */
  reset(): void
  /** Delays everything in both directions. */
  delay(milliseconds: number): void
}

/** Opens a line to the server of a URL. */
export async function chaosLine(url: string): Promise<ChaosLine> {
  const target = new URL(url)
  const pairs = new Set<Pair>()
  let isBlack = false
  let late = 0
  const proxy = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname)
    const pair = { near, far, isDead: isBlack }
    pairs.add(pair)
    join(pair, near, far)
    join(pair, far, near)
  })
  /** Forwards what one end says, and its end; a dead pair says nothing to the other end. */
  const join = (pair: Pair, from: Socket, to: Socket) => {
    const pass = (work: () => void) => {
      if (pair.isDead) return
      if (late === 0) work()
      else setTimeout(() => (pair.isDead ? undefined : work()), late)
    }
    from.on('error', () => undefined)
    from.on('data', (bytes) => pass(() => void to.write(bytes)))
    from.on('close', () => {
      pass(() => to.destroy())
      if (pair.near.closed && pair.far.closed) pairs.delete(pair)
    })
  }
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  const address = proxy.address()
  through.port = typeof address === 'object' ? String(address?.port) : ''
  return {
    url: through.href,
    swallow() {
      isBlack = true
      for (const pair of pairs) pair.isDead = true
    },
    restore() {
      isBlack = false
      late = 0
      // The next packet of the server reaches a client that has forgotten the connection.
      for (const { near, far } of pairs) if (near.closed) far.destroy()
    },
    reset() {
      for (const { near, far } of pairs) for (const end of [near, far]) end.resetAndDestroy()
    },
    delay(milliseconds) {
      late = milliseconds
    },
    async [Symbol.asyncDispose]() {
      for (const { near, far } of pairs) for (const end of [near, far]) end.destroy()
      await new Promise((resolve) => void proxy.close(resolve))
    },
  }
}
