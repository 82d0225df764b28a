import type { World } from '../world.contract.ts'
import { type ClientAt, clientAt, clientIn, FLOW } from './client.contract.ts'

const FORK = {
  ...FLOW,
  'SKILL.md': '---\nname: survey\ndescription: Surveys.\ncontext: fork\n---\n\nRead the steps.\n',
}

/** The steps of that skill. */
export const STEPS = ['look', 'think', 'do'] as const

/** A client whose project has a skill that forks, with the events of its sub-agents. */
export async function surveyAt(world: World) {
  const it = await clientAt(world)
  const survey = await it.add('survey', FORK)
  await it.start()
  return { ...it, survey, ...ways(world, it, survey) }
}

/** The events of sub-agents and of calls that fork. */
function ways(world: World, it: ClientAt, survey: (path: string) => string) {
  const inAgent = (agent: string) => ({ agent_id: agent, agent_type: 'general-purpose' })
  const skillCall = (id: string, skill: string, args: string) => ({
    tool_name: 'Skill',
    tool_input: { skill, args },
    tool_use_id: id,
  })
  const slash = async (text: string, prompt_id: string) => {
    const [, command_name = '', command_args = ''] = /^\/(\S+) ?(.*)$/.exec(text) ?? []
    const expansion = { prompt: text, command_name, command_args, prompt_id }
    return [
      await it.fire('UserPromptExpansion', expansion),
      await it.fire('UserPromptSubmit', { prompt: text, prompt_id }),
    ]
  }
  const stop = (agent: string) =>
    it.fire('SubagentStop', { ...inAgent(agent), stop_hook_active: false, last_assistant_message: 'Bye.' })
  const scope = (agent: string) => clientIn(world, it.project, `${it.session}/${agent}`)
  return {
    inAgent,
    slash,
    stop,
    scope,
    tool: (id: string, args: string, prompt_id?: string) =>
      it.fire('PreToolUse', { ...skillCall(id, 'survey', args), prompt_id }),
    /** A call of the sub-agent for another one in the background. */
    handOver: async (agent: string, other: string, step: string) => {
      const call = {
        tool_name: 'Agent',
        tool_input: { prompt: `Do ${step}.`, run_in_background: true },
        tool_use_id: `${agent}-${other}`,
        ...inAgent(agent),
      }
      await it.fire('PreToolUse', call)
      const tool_response = { isAsync: true, status: 'async_launched', agentId: other }
      await it.fire('PostToolUse', { ...call, tool_response })
    },
    callIn: (agent: string, skill: string, args = '') =>
      it.fire('PreToolUse', { ...skillCall(`${agent}-call`, skill, args), ...inAgent(agent) }),
    startAgent: (agent: string, prompt_id?: string) =>
      it.fire('SubagentStart', { ...inAgent(agent), prompt_id }),
    readIn: (agent: string, step: string) => it.read(survey(`steps/${step}.md`), inAgent(agent)),
    visits: async (effort: number) =>
      (await it.rows(`select step from step_visits where effort_id = ${effort} order by id`)).map(
        ({ step }) => step,
      ),
  }
}
