import { expect, test } from 'vitest'
import { damaged } from './damage.ts'
import type { Home } from './home.ts'

test('damage that SQLite describes in several lines is told in one', () => {
  const home = { database: '/h/engine.db' } as Home
  expect(damaged(home, '*** in database main ***\nTree 11 page 11: error 11')).toBe(
    '/h/engine.db is damaged: *** in database main *** Tree 11 page 11: error 11.',
  )
})
