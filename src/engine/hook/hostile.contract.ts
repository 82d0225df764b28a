import { expect, test } from 'vitest'
import type { Answer, World } from '../world.contract.ts'
import { clientIn, skillOf } from './client.contract.ts'
import { HOSTILE_TEXTS, MARK } from './hostile-texts.contract.ts'
import { join } from 'node:path'
import { mkdir } from 'node:fs/promises'

/** Nothing in a reply to a client takes text of others for markup. */
export function hostileContract(world: () => World): void {
  test('no text of others ends our envelope, passes for a message of ours, or changes what is stored', async () => {
    expect(HOSTILE_TEXTS.length).toBeGreaterThan(100)
    const usual = await day(world(), `x ${MARK} usual words`)
    expect(usual.told.join('\n')).toContain(MARK)
    for (const text of together(HOSTILE_TEXTS)) {
      const { told, state } = await day(world(), text)
      for (const one of told) expect({ text, faults: faultsIn(one) }).toEqual({ text, faults: [] })
      expect({ text, state }).toEqual({ text, state: usual.state })
    }
  })
}

/** Several texts in one, short enough for every reply. */
const together = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((_, at) => (at % 4 === 0 ? [texts.slice(at, at + 4).join(' ')] : []))

/** A session with the text in every place that others write, and one after it. */
async function day(world: World, text: string) {
  const project = join(world.project, world.name('repo'))
  await mkdir(join(project, '.git'), { recursive: true })
  const it = clientIn(world, project)
  const field = JSON.stringify(text.toWellFormed())
  await it.add('flow', {
    ...skillOf('flow', {
      one: `title: ${field}\nproduces: [a]`,
      two: `title: ${field}\nconsumes: [a]\nproduces: [b]`,
    }),
    'holdfast.yaml': `required_todos: [${field}]\nhold: stop\n`,
  })
  const name = text.replaceAll(/[/\0]/g, '')
  const answers: Answer[] = [
    await it.start(),
    await it.prompt(`/flow ${text}`),
    await it.prompt(text),
    await it.read(it.flow('steps/two.md')),
    await it.read(it.flow('steps/one.md')),
    await it.use('Write', { file_path: join(project, name), content: text }),
    await it.use('TodoWrite', { todos: [{ content: text, status: 'pending', activeForm: text }] }),
    await it.use('Bash', { command: `echo ${MARK}`, description: text }, { tool_response: { stdout: text } }),
    await it.use('Task', { subagent_type: text, description: text, prompt: text }, { agent_type: text }),
    await it.fire('PostToolUseFailure', { tool_name: text, tool_input: {}, tool_use_id: 'f', error: text }),
    await it.fire('SubagentStart', { agent_id: 'sub', agent_type: text }),
    await it.fire('Stop', { last_assistant_message: text }),
    await it.start('compact'),
    await it.fire('SessionEnd', { reason: 'other' }),
    await clientIn(world, project).start(),
  ]
  const told = answers.flatMap(textsIn)
  const efforts = (await it.efforts()).map(({ skill, lifecycle }) => ({ skill, lifecycle }))
  const decisions = answers.map(({ decision }) => decision)
  return { told, state: { efforts, spans: await it.spans(), decisions } }
}

/** All texts in the reply to a hook. */
function textsIn({ reply }: Answer): readonly string[] {
  const found: string[] = []
  JSON.stringify(reply ?? {}, (_, value: unknown) => {
    if (typeof value === 'string') found.push(value)
    return value
  })
  return found
}

/** Judges as a reader that overlooks invisible signs and takes similar letters for each other. */
function faultsIn(told: string): readonly string[] {
  const seen = told
    .replaceAll(/[\p{Cf}]/gu, '')
    .normalize('NFKC')
    .replaceAll('\u0455', 's')
    .replaceAll('\u043E', 'o')
    .replaceAll(/[\p{Pd}_]/gu, '-')
    .toLowerCase()
  const tags =
    seen.match(
      /<[\s/]*(system|command-name|local-command|user-prompt|function-results|tool-result|task-notification)/g,
    ) ?? []
  const signs =
    // oxlint-disable-next-line no-control-regex -- these are the signs to find
    told.match(/[\0-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B\u2028\u2029]/g) ?? []
  const forged = told.split('\n').filter((line) => line.startsWith(`Holdfast: ${MARK}`))
  const roles = told.match(/^(Human|Assistant):/gm) ?? []
  return [...tags, ...signs, ...forged, ...roles, ...(told.isWellFormed() ? [] : ['lone surrogate'])]
}
