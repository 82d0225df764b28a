import { join } from 'node:path'
import { begunAt, clientAt, type ClientAt, skillOf } from '../hook/client.contract.ts'
import { type World, writeFiles } from '../world.contract.ts'

/** A last step that needs nothing of the others. */
export const FREE = '---\nconsumes: [user-request]\nproduces: [result]\n---\n'
export const STEPS = {
  look: 'consumes: [user-request]\nproduces: [view]',
  think: 'consumes: [view]\nproduces: [idea]',
  do: 'consumes: [idea]\nproduces: [result]',
}
export const FREE_STEPS = { ...STEPS, do: 'consumes: [user-request]\nproduces: [result]' }

type Act = () => Promise<unknown>

/** Agents and users that edit a skill while an effort follows it. */
export function editsIn(world: () => World) {
  let calls = 0
  /** A tool call of an agent during which something happens. */
  async function tool(it: ClientAt, act: Act, [name, input]: readonly [string, object], more: object = {}) {
    const call = { tool_name: name, tool_input: input, tool_use_id: `edit-${++calls}`, ...more }
    const before = await it.fire('PreToolUse', call)
    await act()
    await it.fire('PostToolUse', { ...call, tool_response: {} })
    return before
  }
  const bash = (it: ClientAt, command: string, act: Act) => tool(it, act, ['Bash', { command }])

  async function at(it: ClientAt, level = 'enforce') {
    await world().call('db.project.setLevel', { path: it.project, level })
    const [project] = await it.rows(`select id from projects where path = '${it.project}'`)
    const sync = () => world().call('agent.skills.list', { project_id: project.id })
    const [effort] = await it.efforts()
    const { id } = effort
    const entries = async () =>
      (
        await it.rows(`select event_type, payload from life_event where effort_id = ${id}
        and event_type like 'plan.%' order by seq`)
      ).map((row) => ({ ...row, payload: JSON.parse(row.payload === '' ? '{}' : row.payload) }))
    const accept = () => world().call('db.effort.accept', { effort_id: id })
    const shown = () => world().call('db.effort.get', { effort_id: id })
    const isGated = async (path = it.flow('steps/do.md')) => (await it.read(path)).decision === 'block'
    return { it, id, sync, entries, accept, shown, isGated }
  }
  const begun = async (level?: string) => await at(await begunAt(world()), level)

  /** A session whose effort follows a skill of this name, with its first step read. */
  async function following(name: string, folder: (it: ClientAt) => string, level?: string) {
    const it = await clientAt(world())
    await writeFiles(skillOf(name, STEPS), folder(it))
    await it.start()
    await it.prompt(`/${name}`)
    await it.read(join(folder(it), 'steps/look.md'))
    return await at(it, level)
  }

  return { tool, bash, at, begun, following }
}
