import { clients } from '../../clients/index.ts'
import type { Environment } from '../../model/client-files.ts'
import type { ProofEnvironment, SessionEnvironment } from '../../model/environment.ts'

/** What a shell and a client set anew for each command; none of it decides what a program does. */
const NEW_EACH_TIME = /^(_|SHLVL|PWD|OLDPWD|TERM|COLUMNS|LINES|GIT_EDITOR)$/

const isNewEachTime = (name: string): boolean =>
  NEW_EACH_TIME.test(name) || [...clients.values()].some(({ variables }) => name.startsWith(variables))

const MOST_VARIABLES = 1000

/** The environment of a client, to be kept for its session. */
export function recordedFrom(env: Environment): SessionEnvironment {
  const salt = process.getBuiltinModule('node:crypto').randomBytes(9).toString('base64url')
  const named = Object.entries(env).slice(0, MOST_VARIABLES)
  const variables = named.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, digestOf(salt, value)] as const],
  )
  return { salt, path: env['PATH'] ?? '', home: env['HOME'] ?? '', variables: Object.fromEntries(variables) }
}

const digestOf = (salt: string, value: string): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', `${salt}\0${value}`, 'base64url').slice(0, 16)

/** The environment for a proof that an agent asks for: only what the session began with. */
export function asItBegan(
  env: Environment,
  { salt, path, home, variables }: SessionEnvironment,
): { readonly env: Environment; readonly used: ProofEnvironment } {
  const isKept = ([name, value]: readonly [string, string | undefined]) =>
    value !== undefined && variables[name] === digestOf(salt, value)
  const all = Object.entries(env)
  const unused = all.flatMap((one) => (isKept(one) || isNewEachTime(one[0]) ? [] : [one[0]]))
  const kept = Object.fromEntries(all.filter(isKept))
  const basic = { ...(path !== '' && { PATH: path }), ...(home !== '' && { HOME: home }) }
  return { env: { ...kept, ...basic }, used: { path, unused } }
}
