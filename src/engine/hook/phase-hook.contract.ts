import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, reasonOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'
import { inOurVoice } from '../../model/text/voice.ts'
import { nowInPhase, PROOF } from '../../rules/told/words.ts'

const BUILD = {
  'SKILL.md': `---
name: build
description: Builds.
---

\`\`\`json
{"phases": [
  {"label": "0", "name": "Setup", "proof": ["mode"]},
  {"label": "1", "name": "Plan", "steps": ["§CMD_LOOK"], "commands": ["§CMD_APPEND_LOG"], "standards": ["TESTING.md"], "proof": ["planned"]},
  {"label": "2", "name": "Make", "commands": ["§CMD_MAKE"]}
]}
\`\`\`
`,
}

/** Commands of an agent that enter phases, through the events of a client. */
export function phaseHookContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    await it.add('build', BUILD)
    await it.start()
    await it.prompt('/build')
    const [effort] = await it.efforts()
    let calls = 0
    /** The events of a tool call, with the effect of the command in between. */
    const shell = async (command: string, does?: () => Promise<unknown>) => {
      const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `phase-${++calls}` }
      const before = await it.fire('PreToolUse', call)
      if (before.decision === 'block') return { before, after: undefined, again: undefined }
      await does?.()
      const ended = { ...call, tool_response: { stdout: '', stderr: '', interrupted: false } }
      return {
        before,
        after: await it.fire('PostToolUse', ended),
        again: await it.fire('PostToolUse', ended),
      }
    }
    const enter = (label: string, proof?: object) => () =>
      world().call('db.effort.phase', { effort_id: effort?.id, label, ...(proof !== undefined && { proof }) })
    const refusals = () =>
      it.rows(
        `select phase, payload from life_event where event_type = 'phase.refused' and effort_id = '${effort?.id}' order by seq`,
      )
    return { ...it, id: effort?.id as number, task_id: effort?.task_id as string, shell, enter, refusals }
  }

  describe('a command that enters a phase', () => {
    test('that its own proof includes in the plan may run', async () => {
      const it = await begun()
      await it.add('choose', {
        'SKILL.md': '---\nname: choose\ndescription: Chooses.\n---\n',
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Look, proof: [risk]}\n  - {label: "2", name: Guard, when: {risk: high}}\n  - {label: "3", name: Tell}\n',
      })
      await it.prompt('/choose')
      const id = (await it.efforts()).at(-1)?.id
      await world().call('db.effort.phase', { effort_id: id, label: '1' })
      const tried = async (words: string) =>
        (await it.shell(`holdfast effort phase ${id} ${words}`)).before.decision
      expect(await tried('2 --risk low')).toBe('block')
      expect(await tried('2 --risk high')).toBe('allow')
      expect(await tried(`2 --proof '{"risk": "high"}'`)).toBe('allow')
      expect(await tried('3 --risk high')).toBe('block')
    })

    test('out of order is refused before it runs, with the command that works', async () => {
      const it = await begun()
      const { before } = await it.shell(`holdfast effort phase ${it.id} 2`)
      expect([before.decision, reasonOf(before)]).toEqual([
        'block',
        expect.stringContaining(`"0: Setup". Next: run holdfast step go '0: Setup' --effort ${it.id}`),
      ])
      const [refusal] = await it.refusals()
      expect([refusal?.phase, JSON.parse(refusal?.payload).rule]).toEqual(['2: Make', 'phase-order'])
      await world().call('db.effort.approve', { effort_id: it.id, subject: '2', reason: 'the rest is there' })
      expect((await it.shell(`holdfast effort phase ${it.id} 2`)).before.decision).toBe('allow')
    })

    test('without proof is refused by either name, unless the proof is not visible yet', async () => {
      const it = await begun()
      await it.enter('0')()
      const refused = [
        `holdfast effort phase ${it.id} 1`,
        `npx holdfast effort phase ${it.id} 1 --proof '{"mode": " "}' 2>&1 | tail`,
        `engine session phase ${it.project} 1`,
        `engine session phase ${it.task_id} 1`,
        'engine session phase . 1',
      ]
      for (const command of refused) {
        const { before } = await it.shell(command)
        expect([command, before.decision, reasonOf(before)]).toEqual([
          command,
          'block',
          expect.stringContaining('requires proof of: mode'),
        ])
      }
      const allowed = [
        `holdfast effort phase ${it.id} 1 --mode false`,
        `holdfast effort phase ${it.id} 1 --proof - <<< '{"mode": 1}'`,
        `engine session phase . 1 <<'E'\n{"mode": 1}\nE`,
        `holdfast effort phase $EFFORT 2`,
        'holdfast effort phase 999999 1',
      ]
      for (const command of allowed)
        expect([command, (await it.shell(command)).before.decision]).toEqual([command, 'allow'])
      const asked = await it.shell(`holdfast effort phase ${it.id} 1 --reason "asked"`)
      expect(asked.before.decision).toBe('ask')
      expect((await it.shell(`engine session phase . 2 <<'E'\n{"mode": 1}\nE`)).before.decision).toBe('block')
      expect(await it.refusals()).toHaveLength(refused.length + 1)
    })

    test('is only recorded at level observe', async () => {
      const it = await begun()
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      expect((await it.shell(`holdfast effort phase ${it.id} 2`)).before.decision).toBe('allow')
      expect(JSON.parse((await it.refusals())[0]?.payload)).toMatchObject({ observed: true })
    })

    test('of a sub-agent is not checked', async () => {
      const it = await begun()
      const command = `holdfast effort phase ${it.id} 2`
      const answer = await it.use('Bash', { command }, { agent_id: 'sub', agent_type: 'helper' })
      expect(answer.decision).toBe('allow')
    })
  })

  test('an entered phase is announced once, with its requirements', async () => {
    const it = await begun()
    await it.shell(`holdfast effort phase ${it.id} 0`, it.enter('0'))
    const command = `holdfast effort phase ${it.id} 1 --mode tdd`
    const entered = await it.shell(command, it.enter('1', { mode: 'tdd' }))
    expect(contextOf(entered.after)).toBe(
      `${inOurVoice(nowInPhase(it.id, '1: Plan'))}\nSteps, in this order: §CMD_LOOK.\nCommands: §CMD_APPEND_LOG.\nStandards: TESTING.md.\n${PROOF}: planned.`,
    )
    expect(contextOf(entered.again)).toBe('')
    world().advance(1000)
    expect(contextOf((await it.shell(command, it.enter('1'))).after)).toBe('')
    const another = await it.shell('X=1; holdfast effort phase $EFFORT 2', it.enter('2', { planned: true }))
    expect(contextOf(another.after)).toBe(`${inOurVoice(nowInPhase(it.id, '2: Make'))}\nCommands: §CMD_MAKE.`)
  })
}
