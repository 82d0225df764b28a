import type { IncomingMessage } from 'node:http'

const NOTHING = Buffer.alloc(0)

/** Reads the whole body but keeps it only up to the limit, so that the sender gets an answer. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too long' | 'gone'> {
  return new Promise((resolve) => {
    let kept: Buffer = NOTHING
    let length = 0
    request.on('data', (part: Buffer) => {
      const start = length
      length += part.length
      if (length > maxBytes) kept = NOTHING
      // Most bodies come in one chunk.
      else if (start === 0) kept = part
      else {
        if (length > kept.length) kept = grown(kept, Math.min(maxBytes, length * 2))
        part.copy(kept, start)
      }
    })
    request.on('end', () => resolve(length > maxBytes ? 'too long' : kept.subarray(0, length)))
    // Also fires if the sender disconnects.
    request.on('error', () => resolve('gone'))
  })
}

/** Doubles the buffer, because a body may come byte by byte. */
function grown(kept: Buffer, size: number): Buffer {
  const more = Buffer.allocUnsafe(size)
  kept.copy(more)
  return more
}
