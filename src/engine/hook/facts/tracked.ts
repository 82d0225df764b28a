import type { SkillDetails } from '../../../model/skill.ts'
import { listSkills, toEntry } from '../../../store/skill.ts'
import type { Loader } from './loader.ts'

/** The skills whose call starts an effort; a sub-agent has the effort of one that forks. */
export const tracked: Loader<'tracked'> = {
  looks: [],
  async load(tx, { project }) {
    const skills = (await listSkills(tx, { workplace_id: project.workplace_id })).map(toEntry)
    return skills.filter(({ details }) => details !== null && isAsking(details)).map(({ name }) => name)
  },
}

const isAsking = ({ notation, required_todos, heartbeat, forks, guide, result }: SkillDetails): boolean =>
  forks !== true &&
  guide !== true &&
  (notation !== null || required_todos.length > 0 || heartbeat !== null || result !== undefined)
