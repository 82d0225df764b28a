const CONTEXT = 3
/** A larger comparison would take too long. */
const MOST_CELLS = 4_000_000

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** The differences between two texts in the form of `diff -u`; empty if they are equal. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const lines = compared(linesOf(before), linesOf(after))
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  )
  const out: string[] = []
  const at = { old: 1, new: 1 }
  for (const [index, { mark, text }] of lines.entries()) {
    if (shown[index] === true) {
      if (shown[index - 1] !== true) out.push(`@@ -${at.old} +${at.new} @@`)
      out.push(mark + text)
    }
    if (mark !== '+') at.old++
    if (mark !== '-') at.new++
  }
  return out
}

const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)

function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const kept = (lines: readonly string[]) => lines.map((text): Line => ({ mark: ' ', text }))
  return [
    ...kept(before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...kept(before.slice(before.length - tail)),
  ]
}

/** Uses the longest common subsequence, counted from the end. */
function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1
  const isTooMuch = (before.length + 1) * width > MOST_CELLS
  const lengths = new Uint32Array(isTooMuch ? 0 : (before.length + 1) * width)
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0
  if (!isTooMuch)
    for (let i = before.length - 1; i >= 0; i--)
      for (let j = after.length - 1; j >= 0; j--)
        lengths[i * width + j] =
          before[i] === after[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]]
    if (old !== undefined && old === fresh && !isTooMuch) {
      lines.push({ mark: ' ', text: old })
      i++
      j++
    } else if (old !== undefined && (fresh === undefined || length(i + 1, j) >= length(i, j + 1))) {
      lines.push({ mark: '-', text: old })
      i++
    } else {
      lines.push({ mark: '+', text: fresh ?? '' })
      j++
    }
  }
  return lines
}
