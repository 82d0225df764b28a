import { forcedCommand } from '../../../model/effort.ts'
import { shellWord } from '../../../model/shell/word.ts'
import { findProjectOfTask } from '../../../store/project.ts'
import { busyAgent } from '../arriving-agent.ts'
import { holderText } from '../../effort/holder.ts'
import type { Loader } from './loader.ts'

/** The agent of the client's environment, if another session of it is at work. */
export const namesake: Loader<'namesake'> = {
  looks: [],
  async load(tx, { looked: { event }, window: { session }, project, context }) {
    const { agent: id } = event
    if (id === undefined || session.agent_id === id) return undefined
    const busy = await busyAgent(tx, { id, native_id: event.session }, context)
    if (busy === undefined) return undefined
    const { effort, holder } = busy
    const isHere = (await findProjectOfTask(tx, { dir_path: effort.task_id }))?.id === project.id
    const command = isHere ? `${forcedCommand(effort)} --agent ${shellWord(id)}` : undefined
    return { agent: id, effort, by: holderText(holder, context), command }
  },
}
