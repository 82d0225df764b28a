import { expect, test } from 'vitest'
import { makeWorld } from '../../src/engine/world.contract.ts'
import { temporarySqlite } from '../../src/store/open.contract.ts'
import { ACTIONS } from './actions.ts'
import { placeIn } from './places.ts'
import { clientOf, ordinarySessions } from './sessions.ts'

const LEVELS = ['enforce', 'strict', 'locked'] as const
const SKILL = '.claude/skills/flow'
const STEP = `${SKILL}/steps/do.md`

test.each(LEVELS)('no ordinary action is refused in 60 sessions at %s', async (level) => {
  const { refusals, kinds } = await ordinarySessions({ sessions: 60, seed: 1, level })
  expect(refusals).toEqual([])
  expect(new Set(kinds.keys())).toEqual(new Set(Object.keys(ACTIONS)))
})

test.each(LEVELS)(
  'what shows or copies a later step of the skill at work is refused at %s',
  async (level) => {
    await using world = await makeWorld(temporarySqlite)
    const { root } = await placeIn(world, level)
    const client = clientOf(world, root)
    await client.fire('SessionStart', { source: 'startup' })
    await client.fire('UserPromptSubmit', { prompt: '/flow' })
    const passed: unknown[] = []
    const calls = [
      ...[
        `cat ${STEP}`,
        `cp ${STEP} /tmp/`,
        `cp -r ${SKILL} /tmp/`,
        `cp -r ${SKILL}/ /tmp/x`,
        `rsync -a ${SKILL}/steps /tmp/`,
        `cd ${SKILL} && cp -r . /tmp/x`,
        `diff ${STEP} README.md`,
        `grep -rn . .claude --include=*.md`,
        `rg . .claude/skills`,
        `grep -rn . .claude/skills/*`,
        `grep -rn . .c*`,
        `git checkout-index --prefix=/tmp/x/ ${STEP}`,
        `rg -g '*.md' . ${SKILL}`,
        `wc -l ${STEP} && cat ${STEP}`,
        `cat < ${STEP} | wc -l`,
      ].map((command) => ({ tool_name: 'Bash', tool_input: { command } })),
      ...[{}, { glob: '*.md' }, { type: 'md' }].map((more) => ({
        tool_name: 'Grep',
        tool_input: { pattern: '.', path: `${root}/.claude/skills`, output_mode: 'content', ...more },
      })),
      { tool_name: 'Read', tool_input: { file_path: `${root}/${STEP}` } },
    ]
    for (const payload of calls)
      if ((await client.take({ event: 'PreToolUse', payload })) === undefined) passed.push(payload.tool_input)
    expect(passed).toEqual([])
  },
)
