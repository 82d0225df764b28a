import type { Socket } from 'node:net'

const NEWLINE = 0x0a
/** Merges small chunks, because one buffer per byte would cost a hundred times the size. */
const MOST_PARTS = 1024

interface LineHandlers {
  onLine(line: Buffer): void
  /** Called once when a line exceeds the limit; reading stops. */
  onTooLong(): void
}

/** Splits at `\n` only, because JSON strings may contain other line separators. */
export function readLines(
  socket: Socket,
  maxBytes: number,
  handlers: LineHandlers,
): { pendingBytes(): number } {
  let parts: Buffer[] = []
  let length = 0
  const tooLong = () => {
    parts = []
    length = 0
    socket.removeListener('data', onData)
    handlers.onTooLong()
  }
  const onData = (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (length + end - start > maxBytes) return tooLong()
      const line =
        parts.length === 0
          ? chunk.subarray(start, end)
          : Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      length = 0
      start = end + 1
      if (line.length > 0) handlers.onLine(line)
    }
    const rest = chunk.subarray(start)
    if (rest.length === 0) return
    length += rest.length
    if (length > maxBytes) return tooLong()
    parts.push(rest)
    if (parts.length === MOST_PARTS) parts = [Buffer.concat(parts)]
  }
  socket.on('data', onData)
  return { pendingBytes: () => length }
}
