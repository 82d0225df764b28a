import { findHome } from '../../daemon/home.ts'
import { shellWord } from '../../model/shell/word.ts'
import { tidy } from '../catalogue/put.ts'
import { checkInside, type Target, targetOf } from '../catalogue/folders.ts'
import { changedIn, checkNamed, install, look } from '../catalogue/install.ts'
import { checkInstalled, installedAt, lookAtLeaving, remove } from '../catalogue/remove.ts'
import { listCatalogue } from '../catalogue/list.ts'
import { LIST_COMMAND, notShipped, shippedSkills } from '../catalogue/shipped.ts'
import { namesOf, toldInstall, toldUninstall } from '../catalogue/tell.ts'
import type { Arguments } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { isConfirmed } from '../frame/confirm.ts'
import { type Io, usage } from '../frame/io.ts'
import { fitTerminal, printLines } from '../frame/show.ts'
import { cutTo } from '../frame/wrap.ts'
import { allInstalled } from '../install/installed.ts'
import { enabledPlugins } from '../install/plugin-enabled.ts'
import { clientOf, placesOfAll, projectFolder, scopeOf } from '../install/place.ts'
import { SETTINGS_FLAGS } from '../install/settings-flags.ts'

export const skillInstall: Command = {
  name: 'skill install',
  summary:
    'Install skills of Holdfast into a folder of your client, with the skills and agents that they need.',
  usage: '[NAME...]',
  places: { NAME: 'a skill of the catalogue, see: holdfast skill list --catalogue' },
  flags: {
    ...SETTINGS_FLAGS,
    all: { kind: 'switch', summary: 'every skill of the catalogue' },
    replace: { kind: 'switch', summary: 'overwrite those of ours that were changed; a copy is kept' },
  },
  examples: [
    'holdfast skill install design                  # for you, in all projects',
    'holdfast skill install --all',
    'holdfast skill install commit --scope project  # for all who clone this project',
    'holdfast skill install commit --scope local    # for you here, unseen by git',
  ],
  async run(io, given) {
    const target = targetIn(io, given)
    const names = namesIn(given)
    checkInside(target)
    tidy(target.skills)
    const wanted = look(target, names)
    checkNamed(target, given.switches.has('all') ? [] : wanted)
    const changed = changedIn(wanted)
    const question = `${namesOf(changed)} changed since you installed ${changed.length === 1 ? 'it' : 'them'}. Overwrite? A copy is kept. [y/N] `
    const isAsked = changed.length > 0 && !given.switches.has('replace')
    const replaces = changed.length > 0 && (!isAsked || (await isConfirmed(io, new Set(), question)))
    const doing = (text: string) => io.draw?.(cutTo(text, io.width - 1))
    const done = install(target, wanted, { replaces, doing })
    const left = done.filter((one) => one.done === 'changed')
    const next = left.length === 0 ? null : repeated('install', target, given, '--replace')
    const why =
      left.length === 0
        ? null
        : `${namesOf(left)} changed since the installation, so nothing was overwritten there.`
    printLines(io, { scope: target.scope, folder: target.skills, installed: done, why, next }, () =>
      [...toldInstall(io, target, done), ...toHook(io, target, given)].join('\n'),
    )
    if (why !== null && !io.json) tellLeft(io, why, next)
    return left.length === 0 ? 0 : 1
  },
}

export const skillUninstall: Command = {
  name: 'skill uninstall',
  summary: 'Take installed skills out of a folder of your client; files that are not ours stay.',
  usage: '[NAME...]',
  places: { NAME: 'an installed skill' },
  flags: {
    ...SETTINGS_FLAGS,
    all: { kind: 'switch', summary: 'every skill that was installed there' },
    yes: { kind: 'switch', summary: 'also those that were changed; a copy is kept' },
  },
  examples: ['holdfast skill uninstall design', 'holdfast skill uninstall --all --scope local'],
  async run(io, given) {
    const target = targetIn(io, given)
    checkInside(target)
    tidy(target.skills)
    const names = given.switches.has('all') ? installedAt(target) : given.positionals
    if (names.length === 0 && !given.switches.has('all'))
      throw usage('skill uninstall needs a NAME or --all.', 'holdfast skill uninstall --all')
    checkInstalled(target, names)
    const leaving = lookAtLeaving(target, [...new Set(names)])
    const changed = leaving.filter(({ standing }) => standing.state === 'changed')
    const question = `${namesOf(changed)} changed since the installation. Remove all the same? A copy is kept. [y/N] `
    const removesChanged = changed.length > 0 && (await isConfirmed(io, given.switches, question))
    const done = remove(target, leaving, removesChanged)
    const left = done.filter((one) => one.done === 'changed')
    const next = left.length === 0 ? null : repeated('uninstall', target, given, '--yes')
    const why =
      left.length === 0
        ? null
        : `${namesOf(left)} changed since the installation, so nothing was removed there.`
    printLines(io, { scope: target.scope, folder: target.skills, removed: done, why, next }, () =>
      toldUninstall(target, done).join('\n'),
    )
    if (why !== null && !io.json) tellLeft(io, why, next)
    return left.length === 0 ? 0 : 1
  },
}

function targetIn(io: Io, { values }: Arguments): Target {
  const scope = scopeOf(values) ?? 'user'
  return targetOf({
    home: findHome(io.env),
    client: clientOf(values),
    scope,
    project: projectFolder(io, values),
  })
}

function namesIn({ positionals, switches }: Arguments): readonly string[] {
  const all = shippedSkills()
  if (switches.has('all')) {
    if (positionals.length > 0) throw usage('Give names or --all, not both.', 'holdfast skill install --all')
    return all.map(({ name }) => name)
  }
  if (positionals.length === 0) throw usage('skill install needs a NAME or --all.', LIST_COMMAND)
  const unknown = positionals.find((name) => !all.some((one) => one.name === name))
  if (unknown !== undefined) throw notShipped(unknown, all)
  return positionals
}

/** Prints the catalogue, with what is installed for the user and in the project here. */
export function runCatalogue(io: Io, { values }: Arguments): number {
  const [home, client, project] = [findHome(io.env), clientOf(values), projectFolder(io, values)]
  const targets = (['user', 'project'] as const).map((scope) => targetOf({ home, client, scope, project }))
  return listCatalogue(io, [...new Map(targets.map((one) => [one.skills, one])).values()])
}

/** A skill guides without hooks, but nothing holds an agent to it. */
const toHook = (io: Io, { home }: Target, { values }: Arguments): readonly string[] =>
  allInstalled(home).length > 0 || enabledPlugins(placesOfAll(io, values)).length > 0
    ? []
    : ['No hooks hold an agent to the steps yet. To install them: holdfast init']

/** The same command with a flag more. */
const repeated = (
  verb: string,
  { scope }: Target,
  { positionals, values, switches }: Arguments,
  flag: string,
) =>
  [
    `holdfast skill ${verb}`,
    ...positionals.map(shellWord),
    ...(switches.has('all') ? ['--all'] : []),
    ...(scope === 'user' ? [] : [`--scope ${scope}`]),
    ...['client', 'project'].flatMap((name) =>
      values[name] === undefined ? [] : [`--${name} ${shellWord(values[name])}`],
    ),
    flag,
  ].join(' ')

function tellLeft(io: Io, why: string, next: string | null): void {
  io.note(why)
  if (io.ask === undefined) io.note(fitTerminal(io, `  try: ${next}`))
}
