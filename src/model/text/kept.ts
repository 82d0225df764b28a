/** The cut position within `limit` characters; never splits a surrogate pair. */
function endWithin(text: string, limit: number): number {
  const last = text.charCodeAt(limit - 1)
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit
}

/** A text of at most `limit` characters, with a notice at the end if cut; `total` if it is only the beginning of one. */
export function cutTo(text: string, limit: number, total = text.length): string {
  if (text.length <= limit && total <= limit) return text
  const note = ` [cut: ${total} characters were too many]`
  return text.slice(0, endWithin(text, Math.max(limit - note.length, 0))) + note
}

/** A text that every database can store: no NUL, no lone surrogates, not too long. */
export function keptText(text: string, limit: number): string {
  return cutTo(text, limit).toWellFormed().replaceAll('\0', '\u{fffd}')
}

const LIMITS = { depth: 6, entries: 200, text: 2000 } as const

/** A small copy of foreign data, safe to store as JSON. */
export function keptJson(value: unknown): unknown {
  let left = LIMITS.entries
  const copy = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return keptText(part, LIMITS.text)
    if (typeof part === 'number' || typeof part === 'boolean') return part
    if (part === null || typeof part !== 'object') return null
    if (depth === LIMITS.depth) return Array.isArray(part) ? [] : {}
    if (Array.isArray(part)) {
      const items: unknown[] = []
      for (const item of part) {
        if (left-- <= 0) break
        items.push(copy(item, depth + 1))
      }
      return items
    }
    const fields: [string, unknown][] = []
    for (const [key, field] of Object.entries(part)) {
      if (left-- <= 0) break
      fields.push([keptText(key, LIMITS.text), copy(field, depth + 1)])
    }
    // Not by assignment, because a field may be named __proto__.
    return Object.fromEntries(fields)
  }
  return copy(value, 0)
}
