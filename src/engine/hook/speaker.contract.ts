import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stringsOf } from '../../clients/payload.contract.ts'
import type { Subject } from '../../clients/subject.contract.ts'
import { skillsFolder } from '../../model/client-files.ts'
import type { HookEvent } from '../../model/event.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'
import { clientIn, FLOW } from './client.contract.ts'

/** Any client in its own project with the skill `flow`. */
export async function speakerAt(world: World, { client, voice }: Subject) {
  const project = join(world.project, world.name('repo'))
  await mkdir(join(project, '.git'), { recursive: true })
  const session = world.name('native')
  const folder = join(project, skillsFolder(client))
  const add = (skill: string, files: Readonly<Record<string, string>>) =>
    writeFiles(files, join(folder, skill))
  await add('flow', FLOW)
  const tell = (kind: HookEvent['kind'], fields: object = {}): Promise<Answer> =>
    world.call('hooks.handle', {
      client: client.name,
      payload: client.named({ ...voice.origin(session, project), ...fields }, kind),
    })
  let calls = 0
  const use = async (fields: object): Promise<Answer> => {
    const call = { ...voice.call(`call-${++calls}`), ...fields }
    const before = await tell('tool.before', call)
    return before.decision === 'block' ? before : await tell('tool.after', { ...call, ...voice.done })
  }
  return {
    project,
    session,
    flow: (path: string) => join(folder, 'flow', path),
    add,
    tell,
    use,
    start: () => tell('session.started', voice.started),
    prompt: (text: string) => tell('prompt.submitted', voice.prompt(text)),
    read: (file: string) => use(voice.read(file)),
    spans: clientIn(world, project, session).spans,
    /** What the client takes from an answer, and all texts in it. */
    heard: ({ reply }: Answer, kind: HookEvent['kind'] = 'tool.before') => {
      const [name = ''] = [...client.events].find(([, honours]) => honours.kind === kind) ?? []
      return {
        as: client.heard(reply === undefined ? '' : JSON.stringify(reply), name),
        text: stringsOf(reply).join('\n'),
      }
    },
  }
}
