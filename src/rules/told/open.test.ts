import { describe, expect, test } from 'vitest'
import { hasControl } from '../../model/text/line.ts'
import { elsewhereLine, type OpenElsewhere } from './open.ts'

describe('the line about an effort that a start did not resume', () => {
  const other: OpenElsewhere = {
    effort_id: 7,
    skill: 'flow',
    request: 'a login page',
    position: '1 of 3 steps done',
    by: 'session 3',
    command: 'holdfast session continue 7',
  }

  test('says what it is, how far it is, who has it and how to resume it', () => {
    expect(elsewhereLine(other)).toBe(
      'Open: effort 7 of flow, "a login page", 1 of 3 steps done; session 3 has it. To resume it, if the user asks: holdfast session continue 7',
    )
  })

  test('names no request and no command where there are none', () => {
    expect(elsewhereLine({ ...other, request: null, by: 'agent fox', command: null })).toBe(
      'Open: effort 7 of flow, 1 of 3 steps done; agent fox has it.',
    )
  })

  test('is one line, with the line breaks of a request as spaces', () => {
    const line = elsewhereLine({ ...other, request: 'a login\npage', position: 'a\nb', by: 'agent f\nx' })
    expect(line).toContain('"a login page"')
    expect(hasControl(line)).toBe(false)
  })
})
