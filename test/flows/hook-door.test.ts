import { expect, test, vi } from 'vitest'
import { windowAt } from '../agent-window.ts'

vi.setConfig({ testTimeout: 300_000 })

test('a call of the hook itself is seen wherever the command shows it, because it cannot judge its caller', async () => {
  const { announce } = await windowAt('strict')
  for (const command of [
    'f() { holdfast hook claude-code < x; }; f',
    'echo "$(holdfast hook claude-code < x)"',
    'x=`holdfast hook claude-code < x`',
    "echo 'holdfast hook claude-code < x' | sh",
    "bash <<'END'\nholdfast hook claude-code < x\nEND",
    'w=hook; holdfast $w claude-code < x',
    "trap 'holdfast hook claude-code < x' EXIT",
    'cat < <(holdfast hook claude-code < x)',
  ])
    expect({ command, refused: (await announce(command)).refusals.length }).toEqual({ command, refused: 1 })
  for (const command of ['grep -rn "holdfast hook claude-code" .', 'echo "see holdfast hook claude-code"'])
    expect(await announce(command)).toMatchObject({ refusals: [], questions: [] })
})
