import { describe, expect, test } from 'vitest'
import { inOurVoice } from '../../model/text/voice.ts'
import { needs, productOf, readInPart } from '../../rules/told/words.ts'
import type { Answer, World } from '../world.contract.ts'
import { clientAt, clientIn, reasonOf } from './client.contract.ts'

const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}. Look behind door ${from + index}.`)

/** The heading is in line 6 and the body begins in line 8. */
const stepOf = (fields: string, body: readonly string[]): string =>
  `---\n${fields}\n---\n\n# The step\n\n${body.join('\n')}\n`
const BODY = numbered(1, 9)
const LOOK = stepOf('consumes: [user-request]\nproduces: [view]', BODY)
const STEPS = {
  'steps/look.md': LOOK,
  'steps/think.md': stepOf('consumes: [view]\nproduces: [idea]', ['Think of it.']),
  'steps/do.md': stepOf('consumes: [idea]\nproduces: [result]', ['Do it.']),
}
/** The lines of a file from one to another, as the client counts them. */
const part = (text: string, from: number, to: number): string =>
  text
    .split('\n')
    .slice(from - 1, to)
    .join('\n')

/** A step counts as read by the lines that an answer showed. */
export function shownContract(world: () => World): void {
  const begun = async (prompt = '/flow') => {
    const it = await clientAt(world())
    await it.add('flow', STEPS)
    await it.start()
    await it.prompt(prompt)
    return { ...it, ...waysOf(it) }
  }
  const waysOf = (it: Awaited<ReturnType<typeof clientAt>>) => {
    let calls = 0
    const look = it.flow('steps/look.md')
    /** A call with the answer of the client. */
    const answered = async (tool_name: string, tool_input: object, answer: unknown, more: object = {}) => {
      const call = { tool_name, tool_input, tool_use_id: `shown-${++calls}`, ...more }
      const before = await it.fire('PreToolUse', call)
      return before.decision === 'block'
        ? before
        : await it.fire('PostToolUse', { ...call, tool_response: answer })
    }
    const shell = (command: string, stdout: string, more?: object) =>
      answered('Bash', { command }, { stdout, stderr: '', interrupted: false }, more)
    const readPart = (from: number, to: number, text = LOOK, more?: object) => {
      const file = { filePath: look, content: part(text, from, to), startLine: from }
      const input = { file_path: look, offset: from, limit: to - from + 1 }
      return answered('Read', input, { type: 'text', file }, more)
    }
    const think = () =>
      it.fire('PreToolUse', { tool_name: 'Read', tool_input: { file_path: it.flow('steps/think.md') } })
    const visits = async () =>
      (
        await it.rows(
          `select phase, payload from life_event where event_type = 'step.visited' and effort_id = '${(await it.efforts())[0]?.id}' order by seq`,
        )
      ).map(({ phase, payload }) => {
        const { lines, of } = JSON.parse(payload)
        return lines === undefined ? phase : `${phase} ${lines}/${of}`
      })
    const kept = async () =>
      (
        await it.rows(
          `select name from plan_state where effort_id = ${(await it.efforts())[0]?.id} and name <> 'progress'`,
        )
      ).length
    return { look, answered, shell, readPart, think, visits, kept }
  }
  const refusal = (file: string, lines: number, from: number) =>
    inOurVoice(
      readInPart('look', file, {
        digest: '',
        total: 10,
        missing: [from, ...Array<number>(9 - lines).fill(99)],
      }),
    )
  describe('a step of which a part was shown', () => {
    test('has begun and is not read; the refusal names the rest, and the rest ends it', async () => {
      const it = await begun()
      await it.readPart(1, 10)
      const early = await it.think()
      expect([early.decision, reasonOf(early)]).toEqual(['block', refusal(it.look, 4, 11)])
      expect(reasonOf(early)).toBe(
        `Holdfast: step "look" was read only in part (4 of 10 lines). Next: read ${it.look} from line 11.`,
      )
      await it.readPart(11, 99)
      expect((await it.think()).decision).toBe('allow')
      expect(await it.visits()).toEqual(['look 4/10', 'look'])
      expect(await it.kept()).toBe(0)
    })

    test('is not ended by its artifacts, where those end a step, until the rest is shown', async () => {
      const it = await begun()
      await it.add('flow', { 'holdfast.yaml': 'gate: produced\n' })
      await it.prompt('/flow')
      const effort_id = (await it.efforts())[0]?.id
      await it.readPart(1, 9)
      await world().call('artifact.put', { effort_id, name: 'view' })
      const states = async () =>
        (await world().call('step.show', { effort_id })).steps.map(({ state }: Answer) => state)
      expect(await states()).toEqual(['started', 'waiting', 'waiting'])
      expect((await it.think()).decision).toBe('block')
      await expect(world().call('step.leave', { effort_id, step: 'look' })).rejects.toThrow(
        'was not read yet',
      )
      await it.readPart(10, 16)
      expect((await it.think()).decision).toBe('allow')
      expect(await world().call('step.leave', { effort_id, step: 'look' })).toMatchObject({
        status: 'running',
      })
      expect((await states())[0]).toBe('completed')
    })

    test('is read once `step go` shows the whole', async () => {
      const it = await begun()
      await it.readPart(1, 10)
      const about = { effort_id: Number((await it.efforts())[0]?.id), step: 'look' }
      await expect(world().call('step.leave', about)).rejects.toThrow('Step "look" was not read yet.')
      expect((await world().call('step.enter', about)).text).toContain('Look behind door 9.')
      expect(await it.visits()).toEqual(['look 4/10', 'look'])
      expect(await world().call('step.leave', about)).toMatchObject({ current: [] })
    })

    test('does not hold back a step that the user approved', async () => {
      const it = await begun()
      await it.readPart(1, 10)
      const effort_id = Number((await it.efforts())[0]?.id)
      await world().call('db.effort.approve', { effort_id, subject: 'do', reason: 'It may.' })
      const entered = await world().call('step.enter', { effort_id, step: 'do' })
      expect(entered.current).toEqual(['look', 'do'])
    })

    test('adds up over several answers and tools, in any order', async () => {
      const it = await begun()
      await it.shell(`tail -n 4 ${it.look}`, part(LOOK, 14, 17))
      await it.shell(`sed -n '1,9p' ${it.look}`, part(LOOK, 1, 9))
      await it.readPart(1, 9)
      expect(await it.visits()).toEqual(['look 3/10', 'look 6/10'])
      const grepped = numbered(4, 6).map((line, index) => `${it.look}:${index + 11}:${line}`)
      await it.answered(
        'Grep',
        { pattern: 'door', path: it.look, output_mode: 'content' },
        { mode: 'content', content: grepped.slice(0, 2).join('\n') },
      )
      expect(reasonOf(await it.think())).toBe(refusal(it.look, 8, 10))
      await it.answered('mcp__files__read_file', { path: it.look }, [
        { type: 'text', text: part(LOOK, 10, 13) },
      ])
      expect((await it.think()).decision).toBe('allow')
    })

    test('counts what a command showed that failed afterwards, and nothing of one that showed no line', async () => {
      const it = await begun()
      const failing = (command: string, output: string, id: string) =>
        it.fire('PostToolUseFailure', {
          tool_name: 'Bash',
          tool_input: { command },
          tool_use_id: id,
          error: `Exit code 1\n${output}`,
          is_interrupt: false,
        })
      await failing(`cat ${it.look}`, `cat: ${it.look}: Permission denied`, 'f1')
      expect(await it.visits()).toEqual([])
      await failing(`head -10 ${it.look}; false`, part(LOOK, 1, 10), 'f2')
      expect(await it.visits()).toEqual(['look 4/10'])
      await failing(`cat ${it.look}; false`, LOOK, 'f3')
      expect(await it.visits()).toEqual(['look 4/10', 'look'])
      expect((await it.think()).decision).toBe('allow')
    })

    test('is not read by another session that shows the rest', async () => {
      const it = await begun()
      await it.readPart(1, 10)
      await it.fire('SessionEnd', { reason: 'other' })
      const [effort] = await it.efforts()
      const other = clientIn(world(), it.project)
      await other.start()
      await world().call('commands.session.continue', { effort_id: effort?.id, native_id: other.session })
      const next = { ...waysOf({ ...it, ...other }) }
      expect(reasonOf(await next.think())).toBe(inOurVoice(readInPart('look', it.look, undefined)))
      await next.readPart(11, 99)
      expect(reasonOf(await next.think())).toBe(refusal(it.look, 6, 6))
      await next.readPart(1, 10)
      expect((await next.think()).decision).toBe('allow')
    })

    test('starts anew if its file changes', async () => {
      const it = await begun()
      await it.readPart(1, 10)
      const changed = LOOK.replace('door 9', 'door 10')
      await it.add('flow', { 'steps/look.md': changed })
      await it.readPart(11, 99, changed)
      expect(reasonOf(await it.think())).toBe(refusal(it.look, 6, 6))
    })

    test('is the lines that a prompt attaches', async () => {
      const it = await begun()
      await it.prompt(`See @${it.look}#L1-10`)
      expect(reasonOf(await it.think())).toBe(refusal(it.look, 4, 11))
      await it.prompt(`See @${it.look}`)
      expect((await it.think()).decision).toBe('allow')
    })

    test('is all of it if the client does not tell what it showed', async () => {
      const it = await begun()
      await it.read(it.look)
      expect((await it.think()).decision).toBe('allow')
    })
  })

  test.each([
    ['wc -l FILE', '17 FILE'],
    ['ls -l FOLDER/*.md', '-rw-r--r-- 1 user user 400 FILE'],
    ['grep -c door FILE', '9'],
    ['grep -l door FILE', 'FILE'],
    ['cat FILE > /dev/null', ''],
  ])('a step of which nothing was shown is not visited: %s', async (command, stdout) => {
    const it = await begun()
    const filled = (text: string) => text.replace('FILE', it.look).replace('FOLDER', it.flow('steps'))
    await it.shell(filled(command), filled(stdout))
    expect(await it.visits()).toEqual([])
    expect(reasonOf(await it.think())).toContain(inOurVoice(needs('think', productOf('view', ['look']))))
  })

  describe('a step that was given to a sub-agent', () => {
    const given = async () => {
      const it = await begun()
      const callOf = (id: string, prompt: string) => ({
        tool_name: 'Agent',
        tool_input: { description: 'Do it', prompt, subagent_type: 'reviewer' },
        tool_use_id: id,
      })
      const inAgent = { agent_id: 'a1', agent_type: 'reviewer' }
      const hand = (id: string, prompt = `Do ${it.look}.`) => it.fire('PreToolUse', callOf(id, prompt))
      const done = (id: string) =>
        it.fire('PostToolUse', { ...callOf(id, ''), tool_response: { status: 'completed', agentId: 'a1' } })
      return { ...it, inAgent, hand, done }
    }

    test('counts if the sub-agent read all of it, in any number of answers', async () => {
      const it = await given()
      await it.hand('c1')
      await it.readPart(1, 10, LOOK, it.inAgent)
      await it.shell(`tail -n 7 ${it.look}`, part(LOOK, 11, 17), it.inAgent)
      await it.done('c1')
      expect(await it.visits()).toEqual(['look'])
      expect((await it.think()).decision).toBe('allow')
      expect(await it.kept()).toBe(0)
    })

    test('counts if the prompt holds the step, in whole or with what the sub-agent read', async () => {
      const it = await given()
      await it.hand('c1', `Do ${it.look}:\n${part(LOOK, 4, 10)}`)
      await it.readPart(11, 17, LOOK, it.inAgent)
      await it.done('c1')
      expect(await it.visits()).toEqual(['look'])
      const other = await given()
      await other.hand('c1', `Do ${other.look}:\n${LOOK}`)
      await other.done('c1')
      expect((await other.think()).decision).toBe('allow')
    })

    test('has only begun if the sub-agent was not shown it, and the main thread can read it', async () => {
      const it = await given()
      await it.hand('c1')
      await it.readPart(1, 9, LOOK, it.inAgent)
      await it.done('c1')
      expect(await it.visits()).toEqual(['look 3/10'])
      expect(reasonOf(await it.think())).toBe(
        `Holdfast: step "look" was given to a sub-agent that was shown 3 of its 10 lines. Next: read ${it.look}.`,
      )
      await it.readPart(10, 99)
      expect(reasonOf(await it.think())).toBe(refusal(it.look, 7, 6))
      await it.readPart(1, 9)
      expect((await it.think()).decision).toBe('allow')
    })

    test('counts when a second sub-agent is shown it', async () => {
      const it = await given()
      await it.hand('c1')
      await it.done('c1')
      expect(await it.visits()).toEqual(['look 0/10'])
      await it.hand('c2', `Do ${it.look}:\n${LOOK}`)
      await it.done('c2')
      expect((await it.think()).decision).toBe('allow')
    })
  })
}
