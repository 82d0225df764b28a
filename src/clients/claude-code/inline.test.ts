import { expect, test } from 'vitest'
import { loadedCommands } from './inline.ts'

const at = { args: 'a.md b.md', folder: '/skills/one' }

test.each([
  ['State: !`git status`', ['git status']],
  ['!`cat ${CLAUDE_SKILL_DIR}/x.md`', ['cat /skills/one/x.md']],
  ['!`cat $ARGUMENTS` and !`cat $ARGUMENTS[1]`', ['cat a.md b.md', 'cat a.md b.md']],
  ['```!\ngit log\ngit diff\n```\n', ['git log\ngit diff\n']],
  ['Say hello!`no command`, or `!x`.', []],
])('%s runs %j', (text, commands) => {
  expect(loadedCommands(text, at)).toEqual(commands)
})
