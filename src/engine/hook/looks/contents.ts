import { findActiveEfforts, findEffort, toEffort } from '../../../store/effort.ts'
import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { toSkill } from '../../../store/skill.ts'
import { rootAt } from '../../call/here.ts'
import { namedByEffort } from '../../effort/named-contents.ts'
import { contentsNamed, type NamedContents, readContents } from '../../skill/contents.ts'
import { skillCalled } from '../../skill/called.ts'
import { skillOfEffort } from '../../skill/kept-plan.ts'
import { directivesOfLevel } from './directives.ts'
import type { Look, Looking } from './look.ts'

/** The standards of the seeds, which every new session gets. */
const STANDARDS = ['COMMANDS', 'INVARIANTS', 'SIGILS']
const MOST_EFFORTS = 5

/** What the phases name that the session may be told of, and for a new session the standards of the project. */
export const contents: Look = {
  isOfSession: true,
  isForFactsOnly: true,
  ask(looking) {
    const { context, client, event, found } = looking
    const isPhase = event.kind === 'tool.after' && found.phase !== undefined
    if (found.place === undefined && !isPhase) return undefined
    return async (tx) => {
      const { root, named } = await namedIn(tx, looking)
      const isStart = event.kind === 'session.started'
      return async () => {
        const level = { root, folder: root, types: STANDARDS }
        const standards = isStart ? await directivesOfLevel(context, client, level) : []
        return {
          contents: await readContents(context, named),
          standards: standards.map(({ type, path, text }) => ({ name: type, path, text })),
        }
      }
    }
  },
}

async function namedIn(tx: Tx, looking: Looking) {
  const { context, event, found } = looking
  const last = await findLastByNative(tx, { native_id: event.session ?? '' })
  const own = last === undefined ? undefined : await findEffort(tx, { id: last.effort_id })
  if (found.place === undefined)
    return { root: '', named: own === undefined ? [] : await namedByEffort(tx, toEffort(own)) }
  const { path: root, known } = await rootAt(tx, { ...found.place, ...context.machine })
  const workplace_id = known?.workplace?.id
  if (known === undefined || workplace_id === undefined) return { root, named: [] }
  const [called] = found.invocations
  const row = called === undefined ? undefined : await skillCalled(tx, { workplace_id, name: called.name })
  const begun = row === undefined ? undefined : toSkill(row)
  const wanted = { projectId: known.of.id, skill: begun?.name, limit: MOST_EFFORTS }
  const open = await findActiveEfforts(tx, wanted)
  const named: NamedContents[] =
    begun === undefined ? [] : [contentsNamed(begun, { current_phase: null, mode: null }, root)]
  for (const effort of [...(own === undefined ? [] : [own]), ...open].map(toEffort)) {
    const skill = await skillOfEffort(tx, { ...effort, workplace_id })
    if (skill !== undefined) named.push(contentsNamed(skill, effort, root))
  }
  return { root, named }
}
