import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formerUser } from '../former-user.ts'

const CAPTURED = readFileSync('test/transcripts/claude-code.jsonl', 'utf8')
const SESSION = '22222222-2222-4222-8222-222222222222'

describe('an import', () => {
  test('lets a search find what was asked and answered before, and nothing that only a machine wrote', async () => {
    const { put, find, load } = formerUser()
    put(SESSION, CAPTURED)
    expect(await load()).toMatchObject({
      sessions: { imported: 1, recorded: 0, elsewhere: 0 },
      messages: 7,
      left_out: 0,
      lines: { not_understood: 0, too_long: 0 },
    })
    expect(await find('cerulean cache')).toEqual([SESSION])
    expect(await find('magenta')).toEqual([SESSION])
    expect(await find('ochre')).toEqual([SESSION])
    expect(await find('indigo')).toEqual([SESSION])
    for (const unsaid of ['vermilion', 'viridian', 'umber', 'sepia']) expect(await find(unsaid)).toEqual([])
  })
})
