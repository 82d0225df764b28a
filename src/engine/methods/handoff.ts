import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { type HandedOver, handOverFault } from '../../model/handoff/handing-over.ts'
import { readLearnings } from '../../model/handoff/learnings.ts'
import { overviewOf, scheduledIn } from '../../model/handoff/overview.ts'
import { readSessionFile } from '../../model/handoff/session-file.ts'
import type { Ask } from '../call/keyed.ts'
import { directMethod, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { carryOut, changedMeanwhile, partOf } from '../handoff/act.ts'
import { keepNote } from '../handoff/note.ts'
import { line, path, words } from '../handoff/params.ts'
import { freshLearnings, placeAt, planned, problemsAt, promise } from '../handoff/plan-act.ts'
import { plansFolder, plansIn } from '../handoff/plans.ts'
import { shownTask } from '../handoff/shown-task.ts'

export const show = directMethod({
  name: 'handoff.show',
  summary: 'Show the session file of a project: its tasks, the next one, plans and problems.',
  effect: 'none',
  params: z.strictObject({ path }),
  async call(context, { path: folder }) {
    const ask: Ask = (read) => context.store.transact((tx) => read(tx, {}), { reads: true })
    const { root, session, learnings } = await placeAt(context, folder, ask)
    const file = readSessionFile(session.text ?? '')
    const learned = readLearnings(learnings.text ?? '')
    const view = overviewOf(file)
    const below = plansFolder(context, root)
    const isScheduled = scheduledIn(file, below)
    const plans = await plansIn(context, root, below, ask)
    return {
      root,
      file: session.name,
      exists: session.text !== undefined,
      digest: session.digest,
      date: file.title?.date ?? null,
      status: file.status?.text ?? null,
      next: view.next === undefined ? null : shownTask(view.next),
      tasks: file.tasks.map(shownTask),
      parallel: view.parallel.map(({ name }) => name),
      plans: plans.map((plan) => ({
        ...plan,
        command: plan.command ?? null,
        is_scheduled: isScheduled(plan.name),
      })),
      learnings: {
        file: learnings.name,
        lines: learned.lines.length,
        all: learned.all,
      },
      problems: problemsAt({ session, learnings }, undefined),
    }
  },
})

export const write = method({
  name: 'handoff.write',
  summary: 'Hand over to the next session: the session file, learnings and the handover note of the effort.',
  effect: 'durable',
  params: z.strictObject({
    path,
    status: words(1000).optional().describe('The status, in one line.'),
    completed: words(50_000).optional().describe('What was done; replaces that of the session before.'),
    next: words(50_000).optional().describe('The next steps; replaces those of the session before.'),
    blockers: z.array(words(10_000)).max(100).default([]).describe('Added to the blockers and gotchas.'),
    learnings: z
      .array(z.strictObject({ title: line(200), text: words(20_000) }))
      .max(100)
      .default([])
      .describe('Added to the learnings.'),
    document: p
      .words(500_000)
      .optional()
      .describe('All of it as one document with the sections of a session file; its tasks are added.'),
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a digest that handoff.show answered')
      .optional()
      .describe('The digest of the session file that the caller has read; a changed file is a conflict.'),
    effort_id: p.id.optional().describe("The effort of the handover note; default: the caller's own."),
    ...p.caller,
  }),
  prepare: (context, { path: folder, native_id, blockers, learnings, digest, ...given }, ask) =>
    planned(context, { path: folder, native_id }, ask, (place, date) => {
      const { status, completed, next, document } = given
      const said: HandedOver = { date, status, completed, next, document, blockers }
      const isEmpty =
        [status, completed, next, document].every((one) => one === undefined) && blockers.length === 0
      if (isEmpty && learnings.length === 0) throw nothingToHandOver()
      const fault = handOverFault(said)
      if (fault !== undefined)
        throw new EngineError('invalid', fault.message, { field: fault.field, hint: FORM })
      if (digest !== undefined && digest !== place.session.digest) throw changedMeanwhile(place.session.name)
      const fresh = freshLearnings(place, learnings)
      const parts = [
        ...(fresh.length === 0 ? [] : [partOf(place.learnings, { kind: 'learn', learnings: fresh })]),
        ...(isEmpty ? [] : [partOf(place.session, { kind: 'handoff', given: said })]),
      ]
      const answer = {
        file: place.session.name,
        learnings: fresh.map(({ title }) => title),
        effort_id: null,
        said,
      }
      return { parts, answer }
    }),
  async run(tx, given, call) {
    const { said, ...answer } = call.prepared.answer
    const act = await promise(tx, given, call)
    return { ...act, answer: { ...answer, effort_id: await keepNote(tx, given, said, call) } }
  },
  finish: carryOut,
})

const FORM = "holdfast handoff write --status 'STATUS' --completed 'WHAT WAS DONE' --next 'NEXT STEPS'"

const nothingToHandOver = () =>
  new EngineError(
    'invalid',
    'A handoff needs words: a status, what was done, next steps, blockers or learnings.',
    {
      hint: FORM,
    },
  )
