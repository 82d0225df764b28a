import { expect, test } from 'vitest'
import { withProgram } from '../../model/text/told-commands.ts'
import { inSubagent } from './words.ts'

test('a sub-agent is told a command that runs where our program is not on the PATH', () => {
  expect(withProgram(inSubagent(3), '/home/me/bin/holdfast')).toContain(
    ': /home/me/bin/holdfast step --effort 3',
  )
})
