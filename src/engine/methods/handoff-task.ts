import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { applyEdit, type Edit, nameTaken } from '../../model/handoff/edit.ts'
import { readLearnings } from '../../model/handoff/learnings.ts'
import { nameKey } from '../../model/handoff/problem.ts'
import { readSessionFile } from '../../model/handoff/session-file.ts'
import { isSameTask, taskFault, taskNamed } from '../../model/handoff/task-edits.ts'
import { TASK_STATES } from '../../model/handoff/task-line.ts'
import { chooseTokens, tokensIn } from '../../model/handoff/tokens.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { carryOut, partOf } from '../handoff/act.ts'
import { field, line, path, words } from '../handoff/params.ts'
import { freshLearnings, planned, problemsAt, promise } from '../handoff/plan-act.ts'
import { shownTask } from '../handoff/shown-task.ts'

const where = { path, native_id: p.caller.native_id }

export const add = method({
  name: 'handoff.add',
  summary: 'Add a pending task to the session file; the file is made if it is missing.',
  effect: 'durable',
  params: z.strictObject({
    ...where,
    name: line(200).describe('The name of the task, which no other task and no learning has.'),
    command: line(2000).optional().describe('The command that begins it.'),
    model: field(100).optional().describe('The model for it; default: sonnet.'),
    restart: z.boolean().default(false).describe('Whether it needs a new session.'),
    priority: field(100).optional(),
    slug: z
      .string()
      .regex(/^[\w.][\w./-]{0,199}$/, 'must be the name of a worktree')
      .optional()
      .describe('The worktree that it is done in.'),
    plan: field(200).optional().describe('The plan folder that it belongs to.'),
  }),
  prepare: (context, { path: folder, native_id, ...task }, ask) =>
    planned(context, { path: folder, native_id }, ask, (place, date) => {
      const fault = taskFault(task)
      if (fault !== undefined) throw new EngineError('invalid', fault.message, { field: fault.field })
      const key = nameKey(task.name)
      const file = readSessionFile(place.session.text ?? '')
      const there = file.tasks.find(({ name }) => nameKey(name) === key)
      const isAdded = there !== undefined && isSameTask(there, task)
      if (there !== undefined && !isAdded)
        throw nameTaken(task.name, `is in line ${there.line} of ${place.session.name}`)
      const learned = readLearnings(place.learnings.text ?? '').all.find(
        ({ title }) => nameKey(title) === key,
      )
      if (learned !== undefined)
        throw nameTaken(
          task.name,
          `would have the title of a learning, in line ${learned.line} of ${place.learnings.name}`,
          'holdfast learn',
        )
      const edit: Edit = { kind: 'add', date, task }
      return {
        parts: [partOf(place.session, edit)],
        answer: { file: place.session.name, name: task.name, added: !isAdded },
      }
    }),
  run: promise,
  finish: carryOut,
})

export const set = method({
  name: 'handoff.set',
  summary: 'Set the state of a task in the session file.',
  effect: 'durable',
  params: z.strictObject({
    ...where,
    name: line(200).describe('The name of the task, the beginning of it, or its token.'),
    state: z.enum(TASK_STATES),
  }),
  prepare: (context, { path: folder, native_id, name, state }, ask) =>
    planned(context, { path: folder, native_id }, ask, ({ session }) => {
      const task = taskNamed(readSessionFile(session.text ?? '').tasks, name)
      const part = partOf(session, { kind: 'set', name: task.name, state })
      return { parts: [part], answer: { file: session.name, ...shownTask(task), state, before: task.state } }
    }),
  run: promise,
  finish: carryOut,
})

export const check = method({
  name: 'handoff.check',
  summary: 'Check the session file and the learnings, and give each #PNDNG a token.',
  effect: 'durable',
  params: z.strictObject({
    ...where,
    used_names: z
      .array(p.textUpTo(500))
      .max(200_000)
      .default([])
      .describe('The names of tasks in earlier commits.'),
    used_tokens: z.array(p.textUpTo(20)).max(200_000).default([]).describe('The tokens in earlier commits.'),
    dry_run: z.boolean().default(false).describe('Only say what would change.'),
  }),
  prepare: (
    context,
    { path: folder, native_id, used_names: names, used_tokens: tokens, dry_run: isDry },
    ask,
  ) =>
    planned(context, { path: folder, native_id }, ask, ({ session, learnings }) => {
      const past = { names: new Set(names.map(nameKey)), tokens: new Set(tokens) }
      const problems = problemsAt({ session, learnings }, past)
      // What is not committed yet may mention a token of a task that is gone.
      const mentioned = [session, learnings].flatMap(({ text }) => tokensIn(text ?? ''))
      const taken = new Set([...past.tokens, ...mentioned])
      const expanded = problems.length > 0 ? [] : chooseTokens(readSessionFile(session.text ?? ''), taken)
      const edit: Edit = { kind: 'tokens', tokens: expanded.map(({ name, token }) => [name, token]) }
      const parts = isDry || expanded.length === 0 ? [] : [partOf(session, edit)]
      return { parts, answer: { file: session.name, problems, expanded } }
    }),
  run: promise,
  finish: carryOut,
})

export const learn = method({
  name: 'handoff.learn',
  summary: 'Add a learning to the learnings of a project.',
  effect: 'durable',
  params: z.strictObject({
    ...where,
    title: line(200).describe('A title of at most seven words, which no other learning and no task has.'),
    text: words(20_000).describe('What was learned.'),
  }),
  prepare: (context, { path: folder, native_id, ...learning }, ask) =>
    planned(context, { path: folder, native_id }, ask, (place) => {
      const fresh = freshLearnings(place, [learning])
      const edit: Edit = { kind: 'learn', learnings: fresh }
      const { lines } = readLearnings(applyEdit(edit, place.learnings.text))
      const answer = { file: place.learnings.name, title: learning.title, lines: lines.length }
      return { parts: [partOf(place.learnings, edit)], answer }
    }),
  run: promise,
  finish: carryOut,
})
