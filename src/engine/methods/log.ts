import * as z from 'zod'
import { artifactPath, type Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { textWord } from '../../model/shell/word.ts'
import { startCommand } from '../../model/task.ts'
import { isBlank } from '../../model/text/line.ts'
import { logEntry } from '../../model/text/log-entry.ts'
import { findProjectOfTask } from '../../store/project.ts'
import { type KnownRoot, listRoots } from '../../store/workplace.ts'
import { ownFile, type Place } from '../call/confine.ts'
import { appendMethod } from '../call/method.ts'
import * as p from '../call/params.ts'
import { refuseOthers } from '../effort/holder.ts'
import { checkTask, effortWish, oneEffort, placesIn } from '../effort/meant.ts'
import { resetHeartbeats } from '../effort/heartbeats.ts'

const useOf = (text: string) => ({
  verb: 'logged to',
  again: (id: number) => `holdfast log ${textWord(text)} --effort ${id}`,
})

export const append = appendMethod({
  name: 'commands.log.append',
  summary: 'Append a timestamped entry to the log of an effort; counts as a heartbeat of its session.',
  params: z.strictObject({
    text: z
      .string()
      .max(262_144)
      .refine((text) => !isBlank(text.replace(/^[#\s]+/, '')), 'must not be blank')
      .describe('The entry. Its first line becomes the heading, with the time.'),
    ...effortWish,
    cwd: p.cwd.optional().describe('The folder that the caller works in; used to find the effort.'),
  }),
  async prepare(context, { text, ...given }, ask) {
    const places = await placesIn(context, given)
    const { effort, project, roots } = await ask(async (tx, { effort_id = given.effort_id }) => {
      await checkTask(tx, places)
      // A repeated call logs to the effort of the first call, even if another is active now.
      const wish = { ...given, ...places, effort_id }
      const found = await oneEffort(tx, wish, context, useOf(text))
      await refuseOthers(tx, found, given, context)
      const of = await findProjectOfTask(tx, { dir_path: found.task_id })
      return { effort: found, project: of, roots: await listRoots(tx, context.machine) }
    })
    const { id, skill, current_phase } = effort
    const file = { path: artifactPath(effort, 'LOG'), project_id: project?.id ?? 0 }
    const place = await ownFile(context, roots, file)
    if ((await context.files.kind(place.root)) === 'missing') throw placeGone(effort, place, roots)
    return {
      place,
      // The task folder may not exist yet.
      folder: effort.task_id,
      meant: { effort_id: id },
      content: (now) => logEntry(text, now),
      about: { effort_id: id, skill, phase: current_phase ?? '' },
      answer: (written, now) => ({ effort_id: id, ...written, at: now }),
      done: (tx, call) => resetHeartbeats(tx, id, call),
    }
  },
})

/** A log must not bring back a worktree that the user has removed. */
const placeGone = ({ id, skill }: Effort, { root, project_id }: Place, roots: readonly KnownRoot[]) =>
  new EngineError('not-found', `Effort ${id} worked in ${root}, which no longer exists.`, {
    field: 'effort_id',
    hint: startCommand(skill, roots.find(({ of }) => of.id === project_id)?.project),
  })
