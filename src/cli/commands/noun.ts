import { resolve } from 'node:path'
import { type Flags, numberOf } from '../frame/args.ts'
import { callAs } from '../daemon/call-as.ts'
import { Remote } from '../daemon/remote.ts'
import { identityOf } from '../frame/caller.ts'
import type { Command } from '../frame/command.ts'
import { type Io, readValue, usage } from '../frame/io.ts'
import { type MethodEntry, methods, type ParamSchema } from '../frame/methods.ts'
import { NOUN_TEXTS } from '../frame/noun-texts.ts'
import { printResult } from '../frame/show.ts'

const NOUNS = {
  project: 'db.project.',
  task: 'db.task.',
  effort: 'db.effort.',
  artifact: 'artifact.',
  session: 'db.session.',
  agent: 'db.agents.',
  directive: 'agent.directives.',
}

/** Methods that have a hand-written command. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['accept', 'approve', 'dehydrate', 'finish', 'get', 'list', 'phase', 'recap', 'start', 'validate'].map(
    (verb) => `db.effort.${verb}`,
  ),
  'db.session.list',
  'db.session.show',
  ...['setLevel', 'setSessionGate', 'status'].map((verb) => `db.project.${verb}`),
])

/** Methods that refuse the effort of somebody else, so they must know who calls. */
const KNOWS_CALLER: ReadonlySet<string> = new Set([
  'artifact.put',
  'db.effort.tick',
  'db.agents.claim',
  'db.agents.release',
])

/** A command for each method of these nouns: required parameters are positional, the others are flags. */
export const nounCommands: readonly Command[] = Object.entries(NOUNS).flatMap(([noun, prefix]) =>
  methods
    .filter(({ name }) => name.startsWith(prefix) && !ELSEWHERE.has(name))
    .map((method) => toCommand(noun, method)),
)

function toCommand(noun: string, method: MethodEntry): Command {
  const { properties, required = [] } = method.params
  const optional = Object.entries(properties).filter(([name]) => !required.includes(name))
  const verb = kebab(method.name.split('.').at(-1) ?? '')
  const name = `${noun} ${verb === 'get' ? 'show' : verb}`
  const flags: Flags = Object.fromEntries(
    optional.map(([param, schema]) => [
      wordFor(param),
      {
        kind: schema.type === 'boolean' ? ('switch' as const) : ('value' as const),
        summary: describe(schema),
        ...(param === 'idempotency_key' && { advanced: true as const }),
      },
    ]),
  )
  const paramOf = (flag: string) => optional.find(([param]) => wordFor(param) === flag)?.[0] ?? flag
  return {
    name,
    summary: method.summary,
    usage: required.map(placeFor).join(' '),
    flags,
    places: Object.fromEntries(
      required.map((param) => [placeFor(param), aboutPlace(param, properties[param] ?? {})]),
    ),
    async run(io, { positionals, values, switches }) {
      const texts = [
        ...required.map((param, index) => [param, placeFor(param), positionals[index] ?? ''] as const),
        ...Object.entries(values).map(
          ([flag, text]) => [paramOf(flag), `--${flag.replaceAll('_', '-')}`, text] as const,
        ),
      ]
      const given = texts.map(
        ([param, shown, text]) => [param, toValue(io, shown, text, properties[param] ?? {})] as const,
      )
      using remote = new Remote(io)
      const result = await callAs<unknown>(io, remote, method.name, {
        ...(KNOWS_CALLER.has(method.name) && identityOf(io)),
        ...Object.fromEntries(given),
        ...Object.fromEntries(
          [...switches].filter((flag) => flag in flags).map((flag) => [paramOf(flag), true]),
        ),
      })
      const text = NOUN_TEXTS[method.name]
      printResult(io, result, text === undefined ? undefined : () => text(io, result as never))
      return 0
    },
  }
}

/** The name of a parameter on the command line: a noun means its id, except a client's own id. */
function wordFor(param: string): string {
  return param === 'native_id' ? param : param.replace(/_id$/, '')
}

function placeFor(param: string): string {
  return wordFor(param).toUpperCase()
}

function kebab(verb: string): string {
  return verb.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** How to find the value of an argument that the method does not describe. */
function aboutPlace(param: string, schema: ParamSchema): string {
  if (schema.description !== undefined) return describe(schema)
  if (param === 'agent_id') return 'id of the agent; see holdfast agent list'
  if (param === 'effort_id') return 'number of the effort; see holdfast effort list'
  return param === 'session_id' ? 'number of the session; see holdfast session find' : describe(schema)
}

function describe(schema: ParamSchema): string {
  const choices = schema.enum === undefined ? '' : schema.enum.map(String).join('|')
  const fallback = schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`
  return [
    schema.description?.replace(/\.$/, '') ?? schema.type ?? '',
    schema.type === 'array' ? 'A,B or JSON, @file, -' : takesJson(schema) ? 'JSON, @file or -' : '',
    choices,
    fallback,
  ]
    .filter((part) => part !== '')
    .join('; ')
}

/** Converts a typed text to the type of the parameter. */
function toValue(io: Io, name: string, typed: string, schema: ParamSchema): unknown {
  // Only JSON can come from a file, because a title may begin with @.
  const text = takesJson(schema) ? readValue(typed, io) : typed
  if (schema.anyOf !== undefined) return toEither(io, name, text, schema.anyOf)
  // An empty path is usually an unset variable, so it must not mean the current folder.
  if (schema.format === 'path' && text === '') throw usage(`${name} must not be empty.`)
  if (schema.format === 'path') return resolve(io.cwd, text)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numberOf(text, name)
    case 'boolean':
      return toSwitch(name, text)
    case 'object':
      return toJson(name, text)
    case 'array':
      return text.trimStart().startsWith('[')
        ? toJson(name, text)
        : text.split(',').map((part) => part.trim())
    default:
      return text
  }
}

function toSwitch(name: string, text: string): boolean {
  if (text === 'true' || text === 'on') return true
  if (text === 'false' || text === 'off') return false
  throw usage(`${name} must be true or false, not ${JSON.stringify(text)}.`)
}

/** Tries the types of the parameter in order. */
function toEither(io: Io, name: string, text: string, schemas: readonly ParamSchema[]): unknown {
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text))
  const isJson = /^\s*[[{]/.test(text)
  const fits = (type: string | undefined) =>
    type === 'integer' || type === 'number' ? isNumber : type === 'object' || type === 'array' ? isJson : true
  const schema = schemas.find(({ type }) => fits(type))
  return schema === undefined ? text : toValue(io, name, text, schema)
}

function takesJson({ type, anyOf }: ParamSchema): boolean {
  return type === 'object' || type === 'array' || (anyOf ?? []).some(takesJson)
}

function toJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw usage(`${name} must be JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
