import type { IncomingMessage } from 'node:http'

const NOTHING = Buffer.alloc(0)

/** The body, which is not kept beyond the limit but read to its end: a sender that is cut off learns nothing. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too long' | 'gone'> {
  return new Promise((resolve) => {
    let kept: Buffer = NOTHING
    let length = 0
    request.on('data', (part: Buffer) => {
      const start = length
      length += part.length
      if (length > maxBytes) kept = NOTHING
      // Most come as one part.
      else if (start === 0) kept = part
      else {
        if (length > kept.length) kept = grown(kept, Math.min(maxBytes, length * 2))
        part.copy(kept, start)
      }
    })
    request.on('end', () => resolve(length > maxBytes ? 'too long' : kept.subarray(0, length)))
    // Also of a sender that left.
    request.on('error', () => resolve('gone'))
  })
}

/** Twice as much each time, because a body may come byte by byte. */
function grown(kept: Buffer, size: number): Buffer {
  const more = Buffer.allocUnsafe(size)
  kept.copy(more)
  return more
}
