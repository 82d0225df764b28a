import { expect, test } from 'vitest'
import { logEntry } from './log-entry.ts'

const NOW = '2026-01-02T03:04:05.006Z'

test.each([
  ['Tests pass', '\n## [2026-01-02 03:04:05] Tests pass\n'],
  ['## Tests pass\n', '\n## [2026-01-02 03:04:05] Tests pass\n'],
  ['### Deep\nbody', '\n## [2026-01-02 03:04:05] Deep\n\nbody\n'],
  ['\n\nFirst\n\n\n- a\n- b\n\n', '\n## [2026-01-02 03:04:05] First\n\n- a\n- b\n'],
  ['## [2020-01-01 00:00:00] Stamped\nbody', '\n## [2020-01-01 00:00:00] Stamped\n\nbody\n'],
  ['# One\n## Two', '\n## [2026-01-02 03:04:05] One\n\n## Two\n'],
])('%j becomes an entry with a time', (text, entry) => {
  expect(logEntry(text, NOW)).toBe(entry)
})
