import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findHome } from '../../daemon/home.ts'
import { writeLauncher } from '../../daemon/launcher.ts'
import { ownFolder, skillsFolder } from '../../model/client-files.ts'
import type { Wired } from '../../model/client-settings.ts'
import { EngineError } from '../../model/error.ts'
import { isStrict, type Level, LEVELS } from '../../model/level.ts'
import type { Lock } from '../../model/lock.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Arguments } from '../frame/args.ts'
import { commandsPlan, writeCommands } from './client-commands.ts'
import { type Trial, tryHooks } from './canary.ts'
import { Remote } from '../daemon/remote.ts'
import { isConfirmed, tellUnconfirmed } from '../frame/confirm.ts'
import { type Io, isYes, usage } from '../frame/io.ts'
import { checkLockable, costsOf, gitLeft, gitWarnings, lockFor, waysOut } from './lock.ts'
import { type Place, placeOf, scopeOf, wiredAt } from './place.ts'
import { installProgram, laterCalledAs, planOf } from '../program/install.ts'
import { printResult } from '../frame/show.ts'
import { heldBy, survey } from '../skill/survey.ts'
import { readSkills } from '../skill/read.ts'
import { warningsOf } from './warnings.ts'
import { wantsLine } from './wanted-line.ts'
import { byHttp, callsByHttp, type Chosen, useCommands, wiredText } from './wired-text.ts'
import { targetOf } from '../catalogue/folders.ts'
import { type Update, updateInstalled } from '../catalogue/update.ts'
import { settingsDiff } from './show-diff.ts'
import { type Canary, describeInit, type Preview, summaryOf, tellPreview } from './tell-init.ts'
import { writeSettings } from './write-settings.ts'
import { openHttp, untilHttp } from '../daemon/until-http.ts'

/** Runs `holdfast init`: previews the changes, writes them, and tests the hooks, unless a story has no use for that. */
export async function runInit(io: Io, given: Arguments, test: typeof tryHooks = tryHooks): Promise<number> {
  const { values, switches } = given
  const place = placeOf(io, values, scopeOf(values) ?? (switches.has('locked') ? 'local' : 'user'))
  const level = levelOf(given, place)
  const wired = wiredAt(place)
  const lock = await lockBy(io, place, level ?? (wired.lock === undefined ? undefined : 'locked'))
  const first = { ...chosenBy(given, wired, level), statusLine: wantsLine(io, given, place), lock }
  const draft = wiredText(place, first)
  const preview = {
    client: place.client.name,
    scope: place.scope,
    path: place.file.path,
    program: planOf(io, place.home) ?? null,
    undo: `holdfast uninstall${wordsFor(place, values)}`,
    diff: settingsDiff(place.file.text, draft),
    costs: lock === undefined ? [] : costsOf(lock, byHttp(io, place)),
    warnings: [
      ...warningsOf(io, place, draft),
      ...(lock === undefined ? [] : [...waysOut(io, place, draft), ...gitWarnings(place, lock)]),
      ...(lock === undefined && wired.lock !== undefined ? gitLeft(place, wired.lock) : []),
    ],
  }
  const offers = offersLeft(io, given, first)
  const summary = summaryOf(place.client, draft, preview)
  const command = `holdfast init${wordsFor(place, values)}`
  const called = laterCalledAs(io, place.home)
  const later = called === undefined ? io : { ...io, program: called }
  if (!io.json)
    tellPreview(later, preview, {
      summary,
      commands: commandsPlan(place),
      updates: updateInstalled(targetOf(place), true),
      isAsking: offers.some(({ as }) => as === 'allowsHoldfast'),
      allowsHoldfast: first.allowsHoldfast,
      showsDiff: switches.has('diff'),
      // What the preview names may not be installed yet.
      toAllow: switches.has('yes') && !switches.has('dry_run') ? command : 'add',
    })
  if (switches.has('dry_run'))
    return finish(later, { ...preview, ...NOTHING_DONE }, 'Nothing written (--dry-run).')
  if (draft !== place.file.text && !(await isConfirmed(io, switches, 'Write these changes? [y/N] ')))
    return tellUnconfirmed(
      io,
      { ...preview, ...NOTHING_DONE },
      {
        why: 'Not confirmed; nothing written.',
        next: `${command}${level === undefined ? '' : ` --${level}`}${choicesIn(given)} --yes`,
      },
    )
  // Asked last, because it is an addition to what the preview shows.
  const chosen = await answered(io, first, offers)
  return await carryOut(later, place, { chosen, level, preview, test })
}

interface Decided {
  readonly chosen: Chosen
  readonly level: Level | undefined
  readonly preview: Preview
  readonly test: typeof tryHooks
}

/** Installs the program, writes the settings, and tests the hooks. */
async function carryOut(io: Io, place: Place, { chosen, level, preview, test }: Decided) {
  const { lock } = chosen
  const { program, advice } = await installProgram(io, place.home)
  using daemon = new Remote({ ...io, ...program })
  await untilReceiving(daemon, place)
  const set = await setLevel(daemon, place, level)
  writeLauncher(place.home, program)
  const text = wiredText(place, chosen)
  const backup = text === place.file.text ? undefined : writeSettings(place, text, lock)
  // After the settings, which note the folders that they made.
  const commands = writeCommands(place)
  const updates = updateInstalled(targetOf(place), false)
  const older = lock === undefined ? undefined : byHttp(io, place)
  useCommands(older)
  // The token that an older version wrote into settings may have been sent to another program.
  if (older !== undefined || callsByHttp(wiredAt(place))) await daemon.call('daemon.rotateToken')
  const before = place.file.text === undefined ? '' : ` Backup: ${backup}`
  if (!io.json) io.out(backup === undefined ? 'The settings need no change.' : `Written.${before}`)
  const skills = await checkSkills(io, place)
  const canaries = byWay(await test(io, daemon, { client: place.client, text, project: place.project }))
  const result = {
    ...preview,
    ...NOTHING_DONE,
    written: backup !== undefined,
    backup: backup ?? null,
    ...set,
    skills,
    canaries,
    advice,
    commands,
    updates,
  }
  return finish(io, result, describeInit(io, result))
}

/** The result of an install that changed nothing. */
const NOTHING_DONE = {
  written: false,
  /** Path of the backup. */
  backup: null,
  project: null,
  level: null,
  skills: null,
  canaries: [] as readonly Canary[],
  advice: [] as readonly string[],
  /** Our commands in the client. */
  commands: [] as readonly string[],
  /** What became of the installed skills that are not as in this version. */
  updates: [] as readonly Update[],
  why: null,
  next: null,
} as const

const byWay = (trials: readonly Trial[]): readonly Canary[] =>
  [...Map.groupBy(trials, ({ way }) => way)].map(([way, those]) => {
    const failed = those.find(({ ok }) => !ok)
    return failed === undefined
      ? { way, ok: true, detail: 'answered' }
      : { way, ok: false, detail: `${failed.event}: ${failed.detail}` }
  })

/** The requested level, if any; throws if the flags conflict. */
function levelOf({ switches }: Arguments, { scope }: Place): Level | undefined {
  const asked = LEVELS.filter((level) => switches.has(level))
  if (asked.length > 1) throw usage(`--${asked.join(' and --')} exclude each other.`, 'holdfast init --help')
  if (asked[0] === 'strict' && scope === 'project')
    throw usage(
      '--strict does not work with a shared file, because it would block users without Holdfast.',
      'holdfast init --scope local --strict',
    )
  return asked[0]
}

/** Options that are not given keep their installed value. */
function chosenBy(
  { switches }: Arguments,
  wired: Wired,
  level: Level | undefined,
): Pick<Chosen, 'failsClosed' | 'allowsHoldfast' | 'allowsSkills'> {
  const failsClosed = level === undefined ? wired.failsClosed : isStrict(level)
  return {
    failsClosed,
    allowsHoldfast: switches.has('allow_holdfast') || wired.allowsHoldfast,
    allowsSkills: switches.has('allow_skills') || wired.allowsSkills === true,
  }
}

/** What the sandbox must keep from agents at level `locked`; throws if it cannot. */
async function lockBy(io: Io, place: Place, level: Level | undefined): Promise<Lock | undefined> {
  if (level !== 'locked') return undefined
  checkLockable(io, place)
  return await lockFor(io, place)
}

/** What agents may do without asking, if the user says so. */
const OFFERS = [
  {
    flag: 'allow_holdfast',
    as: 'allowsHoldfast',
    asks: 'Also allow agents to run safe `holdfast` commands without asking, such as step, log and status? [y/N] ',
  },
  {
    flag: 'allow_skills',
    as: 'allowsSkills',
    asks: 'Also allow agents to call skills without asking, also those that bring tools of their own? [y/N] ',
  },
] as const

type Offer = (typeof OFFERS)[number]

/** What the user must still decide. */
const offersLeft = (io: Io, { values, switches }: Arguments, chosen: Chosen): readonly Offer[] =>
  io.ask === undefined || switches.has('dry_run') || switches.has('yes')
    ? []
    : OFFERS.filter(({ flag, as }) => chosen[as] !== true && values[flag] !== 'false')

async function answered(io: Io, chosen: Chosen, offers: readonly Offer[]): Promise<Chosen> {
  const answers: [Offer['as'], boolean][] = []
  for (const { as, asks } of offers) answers.push([as, isYes((await io.ask?.(asks)) ?? '')])
  return { ...chosen, ...Object.fromEntries(answers) }
}

function wordsFor({ client, scope, project }: Place, values: Readonly<Record<string, string>>): string {
  return [
    ...(values['client'] === undefined ? [] : [` --client ${client.name}`]),
    ` --scope ${scope}`,
    ...(values['project'] === undefined ? [] : [` --project ${shellWord(project)}`]),
  ].join('')
}

/** What was said about the optional parts, as flags. */
const choicesIn = ({ values, switches }: Arguments): string =>
  ['allow_holdfast', 'allow_skills', 'status_line']
    .map((name) => {
      const flag = name.replaceAll('_', '-')
      return switches.has(name) ? ` --${flag}` : values[name] === 'false' ? ` --no-${flag}` : ''
    })
    .join('')

/** Waits until the daemon receives hooks. */
async function untilReceiving(daemon: Remote, { home }: Place): Promise<void> {
  const { env } = daemon.launch
  const { http } = await untilHttp(daemon)
  if (http.listening) return
  const { withUserConfig } = await import('../../files/config.ts')
  throw new EngineError(
    'unavailable',
    `The daemon cannot receive hooks, so nothing was written. ${http.problem ?? 'Its HTTP server is closed.'}`,
    { hint: findHome(withUserConfig(env, home.config)).opensHttp ? 'holdfast doctor' : openHttp({ env }) },
  )
}

/** Sets the level of one project, or the default level. */
async function setLevel(daemon: Remote, { scope, project }: Place, level: Level | undefined) {
  if (scope !== 'user') await daemon.call('db.project.upsert', { path: project })
  const path = scope === 'user' ? {} : { path: project }
  if (level !== undefined) await daemon.call('db.project.setLevel', { level, ...path })
  return { project: scope === 'user' ? null : project, level: level ?? null }
}

async function checkSkills(io: Io, { client, home, project }: Place) {
  const [own, here] = [join(ownFolder(home.user, client), 'skills'), join(project, skillsFolder(client))]
  const folders = [own, here].filter(existsSync)
  const read = folders.map((path) => readSkills(io, { path, runs: false, all: false }))
  const skills = (await Promise.all(read))
    .flatMap(({ parsed }) => parsed)
    .filter(({ definition }) => definition.kind === 'skill')
  const isBroken = (one: (typeof skills)[number]) =>
    one.diagnostics.some(({ severity }) => severity === 'error')
  return {
    found: skills.length,
    enforceable: skills.filter(({ definition }) => definition.plan?.explicit === true).length,
    broken: skills.filter(isBroken).length,
    adoptable: await adoptableIn({ ...io, cwd: project }),
    folders,
  }
}

/** Skills of others, with those of plugins, that could be held to their steps. */
async function adoptableIn(io: Io): Promise<readonly string[]> {
  const { parsed, overlays } = await survey(io)
  return parsed.filter((one) => heldBy(one, overlays) === 'adoptable').map(({ definition: { id } }) => id)
}

function finish(io: Io, result: { readonly canaries: readonly Canary[] } & Preview, text: string): number {
  printResult(io, result, () => text)
  return result.canaries.some(({ ok }) => !ok) ? 1 : 0
}
