import type { Settings, Wired, Wiring } from '../../model/client-settings.ts'
import type { Lock } from '../../model/lock.ts'
import { drop, isCommented, type JsonPath, put, valueAt } from '../json-text.ts'
import { called } from './called.ts'
import { fieldsOf, flagOf, listOf } from './fields.ts'
import { flawsIn } from './flaws.ts'
import { groupsFor, HOOKED, isOurs, wayOf } from './handlers.ts'
import { asksUs, callsIn } from './kept.ts'
import { obstaclesIn, withoutObstacles } from './obstacles.ts'
import { ALLOW, readPermissions, withoutPermissions, withPermissions } from './permission.ts'
import { readPlugins } from './plugin.ts'
import { readLock, unwireLock, wireLock } from './sandbox.ts'
import { changed, checked, eventsOf, handlersOf, isBlank, withoutMark } from './settings-text.ts'
import { readLine, unwireLine, wireLine } from './status-line.ts'

/** The settings of Claude Code. */
export const settings: Settings = {
  path: (scope, { user, project }) =>
    scope === 'user'
      ? `${user}/settings.json`
      : `${project}/.claude/${scope === 'local' ? 'settings.local.json' : 'settings.json'}`,
  managed: (platform) =>
    `${platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'}/managed-settings.json`,
  wire,
  unwire,
  read,
  enable: (text) => changed(text, withoutObstacles),
  called,
  calls: callsIn,
  asks: asksUs,
  flaws: flawsIn,
}

function wire(text: string | undefined, wiring: Wiring): string {
  return changed(text ?? '', (before) => {
    let after = before
    for (const event of eventsOf(before)) {
      if (!HOOKED.some((hooked) => hooked.event === event)) after = withoutEvent(after, event, '{}')
    }
    for (const hooked of HOOKED) after = wireEvent(after, hooked.event, groupsFor(hooked, wiring))
    after = wireLock(wireLine(after, wiring), wiring)
    return wiring.allowsHoldfast || wiring.allowsSkills === true ? withPermissions(after, wiring) : after
  })
}

/** Changes our groups in place, so that the user's groups keep their order. */
function wireEvent(text: string, event: string, wanted: readonly object[]): string {
  let after = withoutOurs(text, event, isMixed)
  const groups = listOf(valueAt(after, ['hooks', event]))
  const places = groups.flatMap((group, index) => (isWhollyOurs(group) ? [index] : []))
  if (valueAt(after, ['hooks', event]) === undefined) return put(after, ['hooks', event], wanted)
  for (const [index, group] of wanted.entries()) {
    const place = places[index]
    const isThere = place !== undefined && JSON.stringify(groups[place]) === JSON.stringify(group)
    const count = listOf(valueAt(after, ['hooks', event])).length
    if (!isThere) after = put(after, ['hooks', event, place ?? count], group)
  }
  for (const place of places.slice(wanted.length).toReversed()) after = drop(after, ['hooks', event, place])
  return after
}

function unwire(text: string, original: string | undefined, locked?: Lock): string {
  if (isBlank(text)) return text
  const was = original === undefined || isBlank(original) ? '{}' : withoutMark(original)
  return changed(text, (before) => {
    let after = before
    for (const event of eventsOf(before)) after = withoutEvent(after, event, was)
    if (after !== before) after = withoutEmpty(after, ['hooks'], was)
    after = unwireLine(after, was)
    if (locked !== undefined) after = unwireLock(after, locked, was)
    const less = withoutPermissions(after, was)
    if (less === after) return after
    return withoutEmpty(withoutEmpty(less, ALLOW, was), ALLOW.slice(0, 1), was)
  })
}

function withoutEvent(text: string, event: string, original: string): string {
  const less = withoutOurs(text, event)
  return less === text ? text : withoutEmpty(less, ['hooks', event], original)
}

/** Removes our handlers from the groups of an event that `which` selects. */
function withoutOurs(text: string, event: string, which: (group: unknown) => boolean = () => true): string {
  let after = text
  const groups = listOf(valueAt(text, ['hooks', event]))
  // Backward, so that earlier indexes stay valid.
  for (const [index, group] of [...groups.entries()].toReversed()) {
    if (!which(group)) continue
    const path = ['hooks', event, index]
    const handlers = handlersOf(group)
    if (isWhollyOurs(group)) after = drop(after, path)
    else
      for (const [place, handler] of [...handlers.entries()].toReversed())
        if (isOurs(handler)) after = drop(after, [...path, 'hooks', place])
  }
  return after
}

/** Removes a value that is empty now and was missing in the original. */
function withoutEmpty(text: string, path: JsonPath, original: string): string {
  const value = valueAt(text, path)
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  const wasMissing = valueAt(original, path) === undefined && !isCommented(text, path)
  return isEmpty && wasMissing ? drop(text, path) : text
}

function read(text: string): Wired {
  if (isBlank(text))
    return { ways: [], failsClosed: false, allowsHoldfast: false, plugins: {}, off: undefined, obstacles: [] }
  const body = checked(text)
  const ours = eventsOf(body)
    .flatMap((event) => listOf(valueAt(body, ['hooks', event])))
    .flatMap(handlersOf)
    .filter(isOurs)
  const ways = new Map(ours.flatMap(wayOf).map((way) => [JSON.stringify(way), way]))
  return {
    ways: [...ways.values()],
    failsClosed: ours.some((handler) => fieldsOf(handler)['onFailure'] === 'block'),
    ...readPermissions(body),
    ...readLine(body),
    ...readLock(body),
    plugins: readPlugins(body),
    off: flagOf(valueAt(body, ['disableAllHooks'])),
    obstacles: obstaclesIn(body),
  }
}

const isWhollyOurs = (one: unknown): boolean => handlersOf(one).length > 0 && handlersOf(one).every(isOurs)

const isMixed = (one: unknown): boolean => !isWhollyOurs(one)
