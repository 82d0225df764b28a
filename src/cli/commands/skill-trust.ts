import { packagedModules } from '../../daemon/packaged.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted } from '../../model/text/line.ts'
import { projectHere } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Arguments } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { fitTerminal, printLines } from '../frame/show.ts'
import { planLines } from '../skill/plan-lines.ts'
import { type Coded, findCoded, runToTrust } from '../skill/trust.ts'
import { ALL, IN } from './skill.ts'

interface Answer {
  readonly steps: number
  readonly texts: readonly string[]
  readonly changed: boolean
}

export const skillTrust: Command = {
  name: 'skill trust',
  summary: 'Run the workflow module of a skill once, show its plan, and hold the skill to that plan.',
  usage: 'NAME',
  flags: { ...IN, ...ALL, yes: { kind: 'switch', summary: 'trust without asking' } },
  examples: ['holdfast skill trust release', 'holdfast skill trust release --in ./skills --yes'],
  async run(io, given) {
    const coded = await findCoded(io, given)
    const { module, parsed } = await runToTrust(io, coded)
    const { plan } = parsed.definition
    const { id: skill, folder, code } = coded
    const about = { skill, code: code.digest, folder, plan: plan ?? null }
    if (!io.json && plan !== undefined)
      io.out(fitTerminal(io, [...(await planLines(plan)), codeLine(coded), ''].join('\n')))
    if (
      !(await isConfirmed(io, given.switches, 'Trust this code, and hold the skill to these steps? [y/N] '))
    )
      return tellUnconfirmed(
        io,
        { ...about, texts: [], trusted: false },
        { why: 'Not confirmed; nothing trusted.', next: repeated(given) },
      )
    const { texts } = await told(io, coded, JSON.stringify(module.exported))
    printLines(io, { ...about, texts, trusted: true, why: null, next: null }, () =>
      [
        paint(io, 'green', `Trusted: ${skill}.`),
        ...(texts.length === 0 ? [] : [`Kept with it: ${texts.join(', ')}.`]),
        'Each call of it now starts an effort, and its steps are held until its code or a script beside it changes.',
        'The same code counts as trusted in every project.',
        `Undo: holdfast skill untrust ${shellWord(skill)}`,
      ].join('\n'),
    )
    return 0
  },
}

export const skillUntrust: Command = {
  name: 'skill untrust',
  summary: 'Stop holding a skill to its workflow module. Efforts in progress keep their plan.',
  usage: 'NAME',
  flags: { ...IN, ...ALL },
  examples: ['holdfast skill untrust release'],
  async run(io, given) {
    const { id: skill, code } = await findCoded(io, given)
    using remote = new Remote(io)
    const params = { name: skill, code: code.digest }
    const { changed } = await remote.call<Answer>('skill.untrust', params)
    if (!changed) throw notTrusted(skill, packagedModules().has(code.digest))
    await readSkills(io, remote)
    printLines(io, { skill, code: code.digest, trusted: false }, () =>
      [
        `No longer trusted: ${skill}. Efforts in progress keep their plan.`,
        `To trust it again: holdfast skill trust ${shellWord(skill)}`,
      ].join('\n'),
    )
    return 0
  },
}

const codeLine = ({ code, folder }: Coded): string => `Code: ${counted(code.texts.size, 'file')} in ${folder}`

/** Has the daemon keep the export, and hold the skills of this project to it at once. */
async function told(io: Io, { id, folder, code }: Coded, exported: string): Promise<Answer> {
  using remote = new Remote(io)
  const params = { name: id, folder, cwd: io.cwd, code: code.digest, exported }
  const answer = await remote.call<Answer>('skill.trust', params)
  await readSkills(io, remote)
  return answer
}

async function readSkills(io: Io, remote: Remote): Promise<void> {
  const project = await projectHere(io, remote)
  if (project !== undefined) await remote.call('agent.skills.list', { project_id: project.id, path: io.cwd })
}

/** The same command with --yes. */
const repeated = ({ positionals, values, switches }: Arguments): string =>
  [
    'holdfast skill trust',
    ...positionals.map(shellWord),
    ...(values['in'] === undefined ? [] : [`--in ${shellWord(values['in'])}`]),
    ...(switches.has('all') ? ['--all'] : []),
    '--yes',
  ].join(' ')

const notTrusted = (skill: string, isShipped: boolean): EngineError =>
  new EngineError(
    'conflict',
    isShipped
      ? `${skill} ships with Holdfast, which vouches for its code. To stop using it, remove the skill.`
      : `The code of ${skill}, as it is now, is not trusted.`,
    { hint: `holdfast skill show ${shellWord(skill)} --all` },
  )
